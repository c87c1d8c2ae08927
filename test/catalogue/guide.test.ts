import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createDatabase } from '../../src/storage/open.ts'
import { createScope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { holdfastProgram, run, startServer } from '../support/process.ts'

const guide = readFileSync(new URL('../../docs/guides/catalogue.md', import.meta.url), 'utf8')

interface Block {
  readonly language: string
  readonly text: string
  /** The preceding paragraph. */
  readonly before: string
}

const blocks: Block[] = [...guide.matchAll(/([^\n]*)\n\n```(\w+)\n(.*?)```/gs)].map(
  ([, before = '', language = '', text = '']) => ({ before, language, text }),
)

const serveCommand = 'npx holdfast serve platform --create\n'
const platformLine = 'PLATFORM=http://127.0.0.1:8081\n'

/** Replaces values that differ in every run. */
function normalize(output: string): string {
  return output
    .trimEnd()
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/(client_secret: )\S+/g, '$1SECRET')
    .replaceAll(/("(?:access_)?token":)"[^"]+"/g, '$1"TOKEN"')
}

describe('the catalogue guide', { timeout: 120_000 }, () => {
  it('has commands that print the documented output', async (t) => {
    const scope = createScope(t)
    const folder = await temporaryFolder(scope)
    const database = `sqlite:${join(folder, 'bank.db')}`
    await createDatabase(database)
    const { address } = await startServer(scope, ['serve', 'platform'], { database })
    for (const { before, text } of blocks.filter(({ language }) => language === 'json')) {
      const [, name] = /Save this as `(\w+\.json)`/.exec(before) ?? []
      assert.ok(name, before)
      await writeFile(join(folder, name), text)
    }
    const commands = blocks.filter(({ language }) => language === 'sh')
    assert.equal(commands.filter(({ text }) => text.endsWith(serveCommand)).length, 1)
    assert.equal(commands.filter(({ text }) => text.includes(platformLine)).length, 1)

    // The server already runs on a free port, and npx would not find the program under test.
    const mark = '----- next block'
    const script = [
      'npx() { shift; "$NODE" "$LAUNCHER" "$@"; }',
      ...commands
        .filter(({ text }) => !text.endsWith(serveCommand))
        .map(({ text }) => `${text.replace(platformLine, `PLATFORM=${address}\n`)}echo '${mark}'`),
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
    const printed = stdout.split(`${mark}\n`).slice(0, -1)
    const expected = blocks.flatMap(({ language, text }, index) => {
      if (language !== 'sh' || text.endsWith(serveCommand)) return []
      const next = blocks[index + 1]
      return [next?.language === 'text' ? next.text : '']
    })
    assert.deepEqual(printed.map(normalize), expected.map(normalize))
    assert.ok(expected.filter((each) => each !== '').length > 10)
  })
})
