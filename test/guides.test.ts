import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { formatForTerminal } from '../src/cli/call/format-json.ts'
import { recordTypes } from '../src/contract/index.ts'
import { temporaryFolder } from './support/folder.ts'
import { findFreePort } from './support/free-port.ts'
import { openLocalServer } from './support/local-server.ts'
import { runInProcess } from './support/process.ts'

const readGuide = (name: string) =>
  readFileSync(new URL(`../docs/guides/${name}.md`, import.meta.url), 'utf8')
const guide = readGuide('load-data')
const [example = '', deletions = ''] = [...guide.matchAll(/```ndjson\n(.*?)```/gs)].map(
  ([, block = '']) => block,
)

/** Replaces values that differ in every run. */
function normalize(output: string): string {
  return output
    .replaceAll(/ into sqlite:(\/|\.holdfast\/)\S+/g, ' into DATABASE')
    .replaceAll(/ in [\d.]+ s \([\d,]+ lines per second\)/g, ' in TIME')
    .replaceAll(/interaction ID [\da-f-]{36}/g, 'interaction ID UUID')
}

describe('the guide Load data', () => {
  it('shows a line of every record type', () => {
    const types = example
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)

    assert.deepEqual(new Set(types), new Set(Object.keys(recordTypes)))
  })

  it('has examples that load without errors, and delete lines that delete only their own records', async (t) => {
    const folder = await temporaryFolder(t)
    const database = `sqlite:${join(folder, 'guide.db')}`

    for (const [index, block] of [example, deletions].entries()) {
      const file = join(folder, `${index}.ndjson`)
      writeFileSync(file, block)
      const { status, stderr } = await runInProcess(['load', file, '--database', database])
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    }
    const { stdout } = await runInProcess(['dump', '--database', database])

    const remaining = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)
    assert.deepEqual(remaining, [
      'customer',
      'customer',
      'energy.account',
      'account.contact',
      'energy.billing',
    ])
  })

  it('has commands that print the documented output', async (t) => {
    const folder = await temporaryFolder(t)
    const previous = process.cwd()
    process.chdir(folder)
    t.after(() => process.chdir(previous))
    const [, database = ''] = /^export HOLDFAST_DATABASE=(\S+)$/m.exec(guide) ?? []
    const environment = { HOLDFAST_DATABASE: database }
    const printed: string[] = []
    const documented: string[] = []

    for (const match of guide.matchAll(/([^\n]*)\n\n```(\w+)\n(.*?)```/gs)) {
      const [, before = '', language = '', text = ''] = match
      const [, name] = /Save \w+ as `([\w./-]+)`/.exec(before) ?? []
      if (name) writeFileSync(name, text)
      const [command = '', ...output] = text.split('\n')
      if (
        language !== 'console' ||
        !/^\$ npx holdfast (?:load (?!--follow)|data check)/.test(command)
      )
        continue
      const { stdout, stderr } = await runInProcess(command.split(' ').slice(3), environment)
      printed.push(normalize(`${command}\n${stdout}${stderr}`))
      documented.push(normalize([command, ...output].join('\n')))
    }

    assert.deepEqual(printed, documented)
    assert.equal(printed.length, 10)
  })
})

describe('the guide Refuse to share', () => {
  it('has commands that print the documented output, and a check that passes', async (t) => {
    const refusals = readGuide('refuse-to-share')
    const folder = await temporaryFolder(t)
    const previous = process.cwd()
    process.chdir(folder)
    t.after(() => process.chdir(previous))
    const database = `sqlite:${join(folder, 'guide.db')}`
    const port = String(await findFreePort())
    const address = `http://127.0.0.1:${port}`
    const environment = { HOLDFAST_DATABASE: database, HOLDFAST_PROVIDER_URL: address }
    const holdfast = (args: readonly string[]) => runInProcess(args, environment)
    const generated = await holdfast(['generate', '--customers', '3', '--transactions', '40'])
    writeFileSync('data.ndjson', generated.stdout)
    assert.equal((await holdfast(['load', 'data.ndjson'])).status, 0)
    const platform = await openLocalServer(t, 'platform', { database })
    const jwksUrl = `${platform.address}/.well-known/jwks.json`
    const urls = { port, 'provider-url': address, 'jwks-url': jwksUrl, subdomain: 'demo' }
    const provider = await openLocalServer(t, 'provider', {
      database,
      ...urls,
      'metrics-port': '0',
    })
    const keyId = (await holdfast(['keys', 'add'])).stdout.trimEnd()
    await holdfast(['keys', 'export', keyId, '--output', 'platform.jwk'])
    const runCommand = async (command: string): Promise<string> => {
      if (command.startsWith('curl')) return (await fetch(provider.metrics)).text()
      const { stdout, stderr } = await holdfast(command.split(' ').slice(2))
      // The guide shows responses as a terminal does.
      return `${stdout.startsWith('{"error"') ? formatForTerminal(stdout, false) : stdout}${stderr}`
    }
    const printed: string[] = []
    const documented: string[] = []
    let file = ''

    for (const match of refusals.matchAll(/Save [^\n]* as `([\w.-]+)`|```(\w+)\n(.*?)```/gs)) {
      const [, name, language, text = ''] = match
      file = name ?? file
      if (language === 'ndjson') writeFileSync(file, text)
      if (text.startsWith('npx holdfast check')) {
        const { stdout, stderr, status } = await holdfast([
          ...text.trim().replace('http://127.0.0.1:8080', address).split(' ').slice(2),
          '--rate',
          '0',
        ])
        assert.match(stdout, /^1\d passed, 0 failed, 0 skipped/m, stderr)
        assert.equal(status, 0)
      }
      if (!text.startsWith('$ ')) continue
      const [line = '', ...output] = text.slice(2).split('\n')
      const [command = '', filter = ''] = line.split(' | grep ')
      const isShown = new RegExp(filter.replaceAll("'", ''))
      const lines = (await runCommand(command)).split('\n').filter((each) => isShown.test(each))
      printed.push(normalize([line, ...lines].join('\n').trimEnd()))
      documented.push(normalize([line, ...output].join('\n').trimEnd()))
    }

    assert.deepEqual(printed, documented)
    assert.equal(printed.length, 8)
  })
})
