import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findFreePort } from '../support/free-port.ts'
import { startListening } from '../support/process.ts'
import { runLine } from '../support/run-lines.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** Runs the commands of the README with a program in an empty folder, in the order of the text. */
export async function runReadmeCommands(scope: Scope, program: string): Promise<void> {
  const readme = read('README.md')
  const [example = ''] = /(?<=```ndjson\n).*?(?=```)/s.exec(read('docs/guides/load-data.md')) ?? []
  const folder = await temporaryFolder(scope)
  writeFileSync(join(folder, 'bank.ndjson'), example)
  const commands = [
    ...readme.matchAll(/^ *(?:\$ )?((?:npx holdfast|curl|npm ci) .*)$/gm),
    ...readme.matchAll(/: `(npx holdfast .*)`/g),
  ].map(([, command = '']) => command)
  const [
    start = '',
    call = '',
    withCurl = '',
    addClient = '',
    load = '',
    demo = '',
    generate = '',
  ] = commands
  assert.equal(commands.length, 7)
  assert.equal(start, 'npm ci && npm start')

  /** On four ports that are free, in the order of the addresses that the README shows. */
  const startDemo = async (...args: readonly string[]) => {
    const port = ['--port', String(await findFreePort(4))]
    const command = [process.execPath, program, 'demo', ...args, ...port]
    return startListening(scope, command, { ready: /Ctrl-C/, cwd: folder })
  }
  const served = await startDemo()
  const settings = { HOLDFAST_PROVIDER_URL: served.address }
  const runShown = (command: string) => {
    const adapted = command.replaceAll(/(?<=127\.0\.0\.1:)808(\d)/g, (_, digit) =>
      String(served.port + Number(digit)),
    )
    return runLine(adapted, { cwd: folder, settings, program })
  }

  const list = async (command: string) =>
    (JSON.parse(await runShown(command)) as { data: { transactions: object[] } }).data
  const called = await list(call)
  assert.equal(called.transactions.length, 2)
  assert.deepEqual(await list(withCurl), called)
  assert.match(await runShown(addClient), /^client_secret: \S+$/m)
  await served.stop()

  const dryRun = await runShown(`${load} --dry-run`)
  const lines = example.trim().split('\n').length
  assert.match(dryRun, new RegExp(`^${lines} lines validated`))
  assert.ok(!readdirSync(folder).includes('bank.db'), 'a dry run creates no database')
  assert.match(await runShown(load), new RegExp(`^${lines} lines loaded`))
  // Fewer customers take less time.
  const generated = await runShown(generate.replace('--customers 1000', '--customers 5'))
  assert.match(generated, /^customer +5 /m)
  const own = await startDemo(...demo.split(' ').slice(3))
  assert.match(own.stdout(), /^provider .* 2 customers/m)
}
