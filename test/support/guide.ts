import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDatabase } from '../../src/storage/open.ts'
import { createScope, type Scope } from './engines.ts'
import { temporaryFolder } from './folder.ts'
import { holdfastProgram, run, startServer } from './process.ts'

interface Block {
  readonly language: string
  readonly text: string
  /** The preceding paragraph. */
  readonly before: string
}

/** A guide whose commands send requests to a server. */
export interface ServerGuide {
  readonly file: string
  readonly role: 'platform' | 'intake'
  /** The line that sets the address of the server. */
  readonly addressLine: string
}

/**
 * Runs the shell blocks of a guide against a real server, with the files that it tells the reader to save. Returns what each
 * block prints, and the output that follows it in the guide.
 */
export async function runServerGuide(
  t: Scope,
  { file, role, addressLine }: ServerGuide,
): Promise<{ readonly printed: readonly string[]; readonly documented: readonly string[] }> {
  const guide = readFileSync(new URL(`../../docs/guides/${file}`, import.meta.url), 'utf8')
  const blocks: Block[] = [...guide.matchAll(/([^\n]*)\n\n```(\w+)\n(.*?)```/gs)].map(
    ([, before = '', language = '', text = '']) => ({ before, language, text }),
  )
  const scope = createScope(t)
  const folder = await temporaryFolder(scope)
  const database = `sqlite:${join(folder, 'bank.db')}`
  await createDatabase(database)
  const { address } = await startServer(scope, ['serve', role], { database })
  for (const { before, text } of blocks.filter(({ language }) => /^(nd)?json$/.test(language))) {
    const [, name] = /Save this as `(\w+\.\w+)`/.exec(before) ?? []
    assert.ok(name, before)
    await writeFile(join(folder, name), text)
  }
  const serveCommand = `npx holdfast serve ${role} --create\n`
  const shell = blocks.filter(({ language }) => language === 'sh')
  const commands = shell.filter(({ text }) => !text.endsWith(serveCommand))
  assert.equal(shell.length - commands.length, 1)
  assert.equal(commands.filter(({ text }) => text.includes(addressLine)).length, 1)

  // The server already runs on a free port, and npx would not find the program under test.
  const mark = '----- next block'
  const [variable] = addressLine.split('=')
  const script = [
    'npx() { shift; "$NODE" "$LAUNCHER" "$@"; }',
    ...commands.map(
      ({ text }) => `${text.replace(addressLine, `${variable}=${address}\n`)}echo '${mark}'`,
    ),
  ].join('\n')
  const { status, stdout, stderr } = await run(['bash', '-u', '-o', 'pipefail', '-c', script], {
    cwd: folder,
    environment: {
      PATH: process.env['PATH'],
      NODE: process.execPath,
      LAUNCHER: holdfastProgram,
    },
  })

  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  const documented = commands.map((command) => {
    const next = blocks[blocks.indexOf(command) + 1]
    return next?.language === 'text' ? next.text : ''
  })
  return {
    printed: stdout.split(`${mark}\n`).slice(0, -1).map(normalize),
    documented: documented.map(normalize),
  }
}

/** Replaces values that differ in every run. */
function normalize(output: string): string {
  return output
    .trimEnd()
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/(client_secret: )\S+/g, '$1SECRET')
    .replaceAll(/("(?:access_)?token":)"[^"]+"/g, '$1"TOKEN"')
}
