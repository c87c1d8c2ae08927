import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { it, type TestContext } from 'node:test'
import { type Bank, concurrency, openBank } from '../load/bank.ts'
import { put } from '../load/lines.ts'
import { describeOn, describeOnce } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findFreePort } from '../support/free-port.ts'
import {
  type Flags,
  finish,
  kill,
  run,
  runInProcess,
  startServer,
  toArguments,
} from '../support/process.ts'

/** Starts the demo on free ports and waits until it has printed everything. */
function startDemo(bank: Bank, flags: Flags = {}) {
  const options = {
    cwd: bank.folder,
    environment: { HOLDFAST_DATABASE: bank.database() },
    ready: /Ctrl-C/,
  }
  return startServer(bank.scope, ['demo'], flags, options)
}

interface Transactions {
  readonly transactions: readonly { readonly transactionId: string; readonly accountId: string }[]
}

/** What a shell passes to the two programs of a command, which store their arguments and print a word. */
async function runInShell(bank: Bank, command: string): Promise<Record<'npx' | 'curl', string[]>> {
  mkdirSync(bank.path('bin'), { recursive: true })
  for (const name of ['npx', 'curl']) {
    bank.write(name, '')
    const store = `for each in "$@"; do printf '%s\\n' "$each" >> '${bank.path(name)}'; done`
    bank.write(`bin/${name}`, `#!/bin/sh\n${store}\necho output-of-${name}\n`)
    chmodSync(bank.path(`bin/${name}`), 0o755)
  }
  const { stderr } = await run(['sh', '-c', command], {
    cwd: bank.folder,
    environment: { PATH: `${bank.path('bin')}${delimiter}${process.env['PATH']}` },
  })
  assert.equal(stderr, '')
  const read = (name: string) => readFileSync(bank.path(name), 'utf8').split('\n').slice(0, -1)
  return { npx: read('npx'), curl: read('curl') }
}

/**
 * Runs the commands that the demo prints, in this process and with the arguments that a shell passes. Returns the response,
 * which is the same for both.
 */
async function runExamples(bank: Bank, output: string): Promise<Transactions> {
  const [, withNpx = '', withCurl = ''] =
    /^Try it:\n {2}(.*)\n\nThe same with curl:\n {2}(.*)$/m.exec(output) ?? []
  const runNpx = async ([name, ...args]: readonly string[]) => {
    assert.equal(name, 'holdfast')
    const { status, stdout, stderr } = await runInProcess(args)
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    return stdout.trim()
  }

  const called = JSON.parse(await runNpx((await runInShell(bank, withNpx)).npx)).data
  const { npx, curl } = await runInShell(bank, withCurl)
  const token = await runNpx(npx)
  const [silent, option, header = '', url = '', ...more] = curl
  const [name = '', value = ''] = header.replace('output-of-npx', token).split(': ')
  const response = await fetch(url, { headers: { [name]: value } })
  const requested = (await response.json()) as { readonly data: unknown }

  assert.deepEqual([silent, option, more], ['-s', '-H', []])
  assert.equal(header, 'Authorization: Bearer output-of-npx')
  assert.deepEqual(requested.data, called)
  return called
}

/** Two transactions of an account of the demo. */
async function requestTransactions(bank: Bank, address: string): Promise<unknown[]> {
  const ids = { customer: 'c-000001', account: 'b-000001-1', 'page-size': '2' }
  const flags = toArguments({ ...ids, 'provider-url': address, database: bank.database() })
  const { stdout } = await runInProcess(['call', 'listBankingTransactions', ...flags])
  return JSON.parse(stdout).data.transactions
}

async function createToken(bank: Bank, url: string): Promise<string> {
  const { status, stdout } = await runInProcess(['token', url, '--database', bank.database()])
  assert.equal(status, 0)
  return stdout.trim()
}

const sampleLines = [
  put.customer('c1'),
  put.account('a1', ['c1']),
  put.balance('a1'),
  put.transaction('a1', 't1', { postingDateTime: new Date().toISOString() }),
]

describeOn('sqlite', 'holdfast demo', () => {
  it('generates data on its first start, and recovers from kill -9 at any time', async (t) => {
    const bank = await openBank(t)
    const first = bank.start(['demo', '--port', '0'])
    await once(first.stderr, 'data')
    await kill(first)

    const second = await startDemo(bank)
    const output = second.stdout()
    const { transactions } = await runExamples(bank, output)
    await second.kill()
    const third = await startDemo(bank)

    assert.match(second.stderr(), /generating demo data/)
    assert.match(output, /Not for production/)
    assert.match(output, /^provider +http:\/\/127\.0\.0\.1:\d+ +25 customers, \d+ accounts$/m)
    assert.match(output, /^platform +http:\/\/127\.0\.0\.1:\d+/m)
    assert.match(output, /^intake +http:\/\/127\.0\.0\.1:\d+ +feeds at \/v1\/feeds$/m)
    assert.match(output, /^ {2}npx holdfast client add core --scope data\.write/m)
    const customer = /^customer +(\S+)$/m.exec(output)?.[1] ?? ''
    assert.ok((await bank.dump()).includes(`{"type":"customer","record":{"id":"${customer}"`))
    assert.equal(transactions.length, 2)
    assert.equal(third.stderr(), '')
    assert.deepEqual(await requestTransactions(bank, third.address), transactions)
    const withoutPorts = (text: string) => text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1')
    assert.equal(withoutPorts(third.stdout()), withoutPorts(output))
    assert.equal(await third.stop(), 0)
  })
})

describeOn('postgres', 'holdfast demo', () => {
  it('serves existing data and prints a request that works', async (t) => {
    const bank = await openBank(t)
    await bank.fill(sampleLines)

    const demo = await startDemo(bank)
    const response = await runExamples(bank, demo.stdout())

    assert.equal(demo.stderr(), '')
    assert.match(demo.stdout(), /^provider .* 1 customers?, 1 accounts?$/m)
    assert.equal(response.transactions[0]?.transactionId, 't1')
    assert.equal(await demo.stop(), 0)
  })
})

/** Listens on one of four consecutive ports. */
async function usePort(t: TestContext, offset: number): Promise<{ first: number; used: number }> {
  const first = await findFreePort(4)
  const used = first + offset
  const server = createServer().listen(used, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return { first, used }
}

describeOnce('holdfast demo', { concurrency }, () => {
  it('serves existing data with any ids and any path', async (t) => {
    const bank = await openBank(t)
    const [customer, account] = ["o'brien & sons", 'a $1/"2"']
    mkdirSync(bank.path('my bank'))
    const database = `sqlite:${bank.path("my bank/it's.db")}`
    bank.write('data.ndjson', [
      put.customer(customer),
      put.account(account, [customer]),
      put.transaction(account, 't1', { postingDateTime: new Date().toISOString() }),
    ])
    await runInProcess(['load', bank.path('data.ndjson'), '--database', database])

    const demo = await startDemo(bank, { database })
    const output = demo.stdout()
    const response = await runExamples(bank, output)

    assert.equal(demo.stderr(), '')
    assert.match(output, /^provider .* 1 customers?, 1 accounts?$/m)
    assert.equal(response.transactions[0]?.accountId, account)
  })

  it('completes in-flight requests before it stops', async (t) => {
    const bank = await openBank(t)
    await bank.fill(sampleLines)
    const { child, address, ended } = await startDemo(bank)
    const url = `${address}/v1/banking/customer/c1/accounts/balances`
    const body = JSON.stringify({ data: { accountIds: ['a1'] } })
    const post = request(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await createToken(bank, url)}`,
        'content-type': 'application/json',
        'content-length': body.length,
        expect: '100-continue',
      },
    })
    post.flushHeaders()
    await once(post, 'continue')
    post.write(body.slice(0, 5))

    child.kill('SIGTERM')
    while (await isListening(address)) assert.equal(child.exitCode, null)
    post.end(body.slice(5))
    const [response] = await once(post, 'response')

    assert.equal(response.statusCode, 200)
    assert.deepEqual(JSON.parse(await text(response)).data.balances, [
      JSON.parse(put.balance('a1')).record,
    ])
    assert.equal(await ended, 0)
  })

  for (const [name, offset] of [
    ['the first', 0],
    ['the second', 1],
    ['the third', 2],
    ['the fourth', 3],
  ] as const) {
    it(`reports ${name} of its four ports if it is in use`, async (t) => {
      const bank = await openBank(t)
      await bank.fill(sampleLines)
      const { first, used } = await usePort(t, offset)
      const args = ['demo', '--port', String(first), '--database', bank.database()]

      // With several servers already open, the process must still exit.
      const { status, stdout, stderr } =
        offset >= 2 ? await finish(bank.start(args)) : await runInProcess(args)

      const start = `port ${used} is already in use: the demo uses four ports, --port for the provider and the next `
      assert.ok(stderr.startsWith(start), stderr)
      assert.deepEqual({ status, stdout }, { status: 1, stdout: '' })
    })
  }

  it('creates no database if one of its ports is in use', async (t) => {
    const folder = await temporaryFolder(t)
    const { first } = await usePort(t, 3)
    const database = `sqlite:${join(folder, 'demo.db')}`

    const { status } = await runInProcess(['demo', '--port', String(first), '--database', database])

    assert.equal(status, 1)
    assert.deepEqual(readdirSync(folder), [])
  })

  it('explains in its help that it uses four ports', async () => {
    const { status, stdout } = await runInProcess(['demo', '--help'])

    assert.match(
      stdout.replaceAll(/\s+/g, ' '),
      /on four ports: --port for the provider, and the next three/,
    )
    assert.equal(status, 0)
  })

  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'bank.example', '127.bank.example']) {
    it(`rejects the host ${host}, which is not a loopback address`, async (t) => {
      const bank = await openBank(t)

      const flags = ['--host', host, '--port', '0', '--database', bank.database()]
      const { status, stdout, stderr } = await runInProcess(['demo', ...flags])

      assert.match(stderr, /^--host must be a loopback address/)
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' })
    })
  }
})

async function isListening(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
