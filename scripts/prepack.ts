import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bundledInConsole, root } from './program.ts'

/**
 * Writes two lists into the package: the exact versions of its runtime packages (`npm-shrinkwrap.json`), and a CycloneDX
 * bill of materials of these and of the bundled packages (`sbom.cdx.json`). npm would also install the packages for
 * development that a shrinkwrap contains.
 */

type Versions = Readonly<Record<string, string>>

interface Entry {
  readonly dev?: true
  readonly devOptional?: true
  readonly peer?: true
  readonly version: string
}

interface Project {
  readonly dependencies: Versions
  readonly devDependencies: Versions
}

const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))
const { devDependencies: _unlocked, ...project } = read('package.json') as Project
const lock = read('package-lock.json') as { packages: Record<string, Entry> & { '': Project } }

const { '': lockRoot, ...entries } = lock.packages
const { devDependencies: _development, ...lockedProject } = lockRoot
const runtime = Object.entries<Entry>(entries).filter(
  ([, { dev, devOptional, peer }]) => !dev && !devOptional && !peer,
)
const runtimeLock = { ...lock, packages: { '': lockedProject, ...Object.fromEntries(runtime) } }
writeFileSync(join(root, 'npm-shrinkwrap.json'), format(runtimeLock))
writeFileSync(join(root, 'sbom.cdx.json'), format(listMaterials()))

/** Of a project with nothing else: npm reports packages for development that a lockfile does not have as errors. */
function listMaterials(): object {
  const bundled = bundledInConsole.map((name) => {
    const { dev: _dev, ...entry } = entries[`node_modules/${name}`] as Entry
    return { name, entry }
  })
  const dependencies = {
    ...project.dependencies,
    ...Object.fromEntries(bundled.map(({ name, entry }) => [name, entry.version])),
  }
  const packages = {
    ...runtimeLock.packages,
    '': { ...lockedProject, dependencies },
    ...Object.fromEntries(bundled.map(({ name, entry }) => [`node_modules/${name}`, entry])),
  }
  // npm takes the name from the folder.
  const folder = join(mkdtempSync(join(tmpdir(), 'materials-')), 'holdfast')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), format({ ...project, dependencies }))
  writeFileSync(join(folder, 'package-lock.json'), format({ ...lock, packages }))
  const flags = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application']
  const list = execFileSync('npm', ['sbom', ...flags, '--package-lock-only'], { cwd: folder })
  rmSync(dirname(folder), { recursive: true })
  return JSON.parse(list.toString())
}

function format(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`
}
