import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import * as client from '../../src/client/index.ts'
import { createScope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { installClient } from '../support/install-client.ts'
import { holdfastProgram, run, runInProcess, startServer } from '../support/process.ts'

const guide = readFileSync(new URL('../../docs/guides/call-a-provider.md', import.meta.url), 'utf8')
const findBlocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    ([, text = '']) => text,
  )

describe('the guide Call a provider', () => {
  it('has commands and a program of at most 20 lines that work as they are', async (t) => {
    const scope = createScope(t)
    const folder = await temporaryFolder(scope)
    // Less data than the demo generates, with the same ids.
    const generated = await runInProcess(['generate', '--customers', '2', '--transactions', '30'])
    writeFileSync(join(folder, 'data.ndjson'), generated.stdout)
    mkdirSync(join(folder, '.holdfast'))
    const database = `sqlite:${join(folder, '.holdfast', 'holdfast.db')}`
    await runInProcess(['load', join(folder, 'data.ndjson'), '--database', database])
    const demo = await startServer(scope, ['demo'], {}, { cwd: folder, ready: /Ctrl-C/ })
    const [program = '', ...otherPrograms] = findBlocks('js')
    installClient(folder)
    // As npm init writes it.
    writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}')
    writeFileSync(join(folder, 'transactions.mjs'), program)

    // The demo runs on a free port, and npx would not find the program under test.
    const mark = '----- next block'
    const blocks = findBlocks('sh').map((text) =>
      text.replaceAll('http://127.0.0.1:8080', demo.address),
    )
    const failing = (blocks.at(-1) ?? '').replace('b-000001-1', 'unknown')
    const script = [
      'npx() { shift; "$NODE" "$LAUNCHER" "$@"; }',
      ...blocks.map((text) => `set -e\n${text}echo '${mark}'`),
      `set +e\n${failing}`,
    ].join('\n')
    const { status, stdout, stderr } = await run(['bash', '-u', '-o', 'pipefail', '-c', script], {
      cwd: folder,
      environment: {
        PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
        NODE: process.execPath,
        LAUNCHER: holdfastProgram,
        HOLDFAST_PROVIDER_URL: demo.address,
      },
    })

    assert.deepEqual([status, stderr], [1, 'listBankingTransactions: Account not found\n'])
    assert.deepEqual(otherPrograms, [])
    assert.ok(program.trimEnd().split('\n').length <= 20)
    const [page = '', count = '', exported, transactions = ''] = stdout.split(`${mark}\n`)
    const { data, meta } = JSON.parse(page)
    assert.equal(data.transactions.length, 2)
    assert.equal(Number(count), meta.totalRecords)
    assert.equal(exported, 'platform.jwk\n')
    const [title, ...lines] = transactions.trimEnd().split('\n')
    assert.match(title ?? '', /^Transactions of \S+/)
    assert.equal(lines.length, meta.totalRecords)
  })

  it('describes every error class and every limit of the client', () => {
    const classes = Object.keys(client).filter((name) => name.endsWith('Error'))
    const source = readFileSync(new URL('../../src/client/options.ts', import.meta.url), 'utf8')
    const limits = [...source.matchAll(/readonly (\w+(?:Max|Ms))\?: number/g)].map(
      ([, name = '']) => name,
    )

    assert.ok(classes.length > 4 && limits.length > 3)
    for (const name of [...classes, ...limits]) assert.ok(guide.includes(`\`${name}\``), name)
  })
})
