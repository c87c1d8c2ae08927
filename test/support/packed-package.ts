import assert from 'node:assert/strict'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from './process.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** npm must use the Node of this test: the system may have an older one. */
const environment = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
}

export const runIn = (cwd: string, ...command: readonly string[]) =>
  run(command, { cwd, environment })

/** Returns the output of a command, which must succeed. */
export async function succeed(cwd: string, ...command: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await runIn(cwd, ...command)
  assert.equal(status, 0, `${command.join(' ')}\n${stdout}${stderr}`)
  return stdout
}

/** The result of `npm pack`, unpacked in a project. `npm pack` writes to the root: two at once would disturb each other. */
export function createPackedPackage() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-package-'))
  const project = join(folder, 'project')
  const installed = join(project, 'node_modules', 'holdfast')
  const manifest = () =>
    JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      readonly version: string
      readonly bin: { readonly holdfast: string }
      readonly dependencies: Readonly<Record<string, string>>
    }
  const tarball = () =>
    join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '')

  /** Only declared dependencies can be imported, as after npm install, which takes several seconds. */
  const linkDependency = (name: string): void => {
    const link = join(project, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }

  return {
    folder,
    project,
    installed,
    manifest,
    tarball,
    /** The file of the command. */
    program: () => join(installed, manifest().bin.holdfast),
    async open() {
      await succeed(root, 'npm', 'pack', '--pack-destination', folder)
      mkdirSync(installed, { recursive: true })
      const own = { name: 'project', private: true, type: 'module' }
      writeFileSync(join(project, 'package.json'), JSON.stringify(own))
      await succeed(folder, 'tar', '-xzf', tarball(), '--strip-components=1', '-C', installed)
      for (const name of Object.keys(manifest().dependencies)) linkDependency(name)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
