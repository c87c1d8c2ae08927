import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, mkdirSync } from 'node:fs'
import { request } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { delimiter } from 'node:path'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { describe, engineHere } from '../support/engines.ts'
import {
  type Flags,
  finish,
  holdfastProgram,
  kill,
  run,
  runInProcess,
  startServer,
} from '../support/process.ts'
import { type Bank, concurrency, openBank } from './bank.ts'
import { put } from './lines.ts'

const timeout = 60_000

/** Starts the demo on ports of its own choice and waits until it has printed everything. */
function startDemo(bank: Bank, flags: Flags = {}) {
  const options = {
    cwd: bank.folder,
    environment: { HOLDFAST_DATABASE: bank.database() },
    ready: /Ctrl-C/,
  }
  return startServer(bank.scope, ['demo'], flags, options)
}

/** Pastes into a shell what the demo says to try. Only npx and curl are of our making. */
async function paste(bank: Bank, output: string): Promise<string> {
  const [, lines = ''] = output.split(/^Try it:$/m)
  const commands = lines.split('Ctrl-C')[0] ?? ''
  mkdirSync(bank.path('bin'), { recursive: true })
  const node = JSON.stringify(process.execPath)
  bank.write('bin/npx', `#!/bin/sh\nshift\nexec ${node} ${JSON.stringify(holdfastProgram)} "$@"\n`)
  bank.write(
    'bin/curl',
    `#!/bin/sh\nexec ${node} ${JSON.stringify(bank.path('bin/curl.mjs'))} "$@"\n`,
  )
  bank.write(
    'bin/curl.mjs',
    `const args = process.argv.slice(2)
    const given = args.filter((_, index) => args[index - 1] === '-H').map((each) => each.split(': '))
    const url = args.find((each) => each.startsWith('http'))
    const answer = await fetch(url, { headers: Object.fromEntries(given) })
    console.log(answer.status + ' ' + (await answer.text()))`,
  )
  for (const name of ['npx', 'curl']) chmodSync(bank.path(`bin/${name}`), 0o755)

  const { stdout, stderr } = await run(['sh', '-c', commands], {
    cwd: bank.folder,
    environment: { PATH: `${bank.path('bin')}${delimiter}${process.env['PATH']}` },
  })
  assert.equal(stderr, '')
  return stdout
}

async function tokenFor(bank: Bank, url: string): Promise<string> {
  const { status, stdout } = await bank.run(['token', url])
  assert.equal(status, 0)
  return stdout.trim()
}

const ownData = [
  put.customer('c1'),
  put.account('a1', ['c1']),
  put.balance('a1'),
  put.transaction('a1', 't1', { postingDateTime: new Date().toISOString() }),
]

describe('holdfast demo', { concurrency, timeout }, () => {
  it('makes data on its first start, and shows a request that works when pasted', async (t) => {
    const bank = await openBank(t)

    const demo = await startDemo(bank)
    const output = demo.stdout()
    const answer = await paste(bank, output)

    assert.match(demo.stderr(), /making demo data/)
    assert.match(output, /Never for production/)
    assert.match(output, /^provider +http:\/\/127\.0\.0\.1:\d+ +25 customers, \d+ accounts$/m)
    assert.match(output, /^platform +http:\/\/127\.0\.0\.1:\d+/m)
    const customer = /^customer +(\S+)$/m.exec(output)?.[1] ?? ''
    assert.ok((await bank.dump()).includes(`{"type":"customer","record":{"id":"${customer}"`))
    assert.match(answer, /^200 /)
    assert.equal(JSON.parse(answer.slice(4)).data.transactions.length, 2)
    assert.equal(await demo.stop(), 0)
  })

  it('is whole after kill -9, in the middle of making data and in the middle of serving', async (t) => {
    const bank = await openBank(t)
    const first = bank.start(['demo', '--port', '0'])
    await once(first.stderr, 'data')
    await kill(first)

    const second = await startDemo(bank)
    const answer = await paste(bank, second.stdout())
    await second.kill()
    const third = await startDemo(bank)

    assert.match(second.stdout(), / 25 customers, /)
    assert.equal(third.stderr(), '')
    const served = (body: string) => JSON.parse(body.slice(4)).data
    assert.deepEqual(served(await paste(bank, third.stdout())), served(answer))
    assert.equal(
      third.stdout().replaceAll(third.address, ''),
      second
        .stdout()
        .replaceAll(second.address, '')
        .replace(/^platform.*$/m, /^platform.*$/m.exec(third.stdout())?.[0] ?? ''),
    )
  })

  it('serves the data that is there, whatever its ids and wherever it is', async (t) => {
    const bank = await openBank(t)
    const [customer, account] = ["o'brien & sons", 'a $1/"2"']
    mkdirSync(bank.path('my bank'))
    const database =
      engineHere() === 'sqlite' ? `sqlite:${bank.path("my bank/it's.db")}` : await bank.another()
    bank.write('data.ndjson', [
      put.customer(customer),
      put.account(account, [customer]),
      put.transaction(account, 't1', { postingDateTime: new Date().toISOString() }),
    ])
    await bank.run(['load', 'data.ndjson', '--database', database])

    const demo = await startDemo(bank, { database })
    const output = demo.stdout()
    const answer = await paste(bank, output)

    assert.equal(demo.stderr(), '')
    assert.match(output, /^provider .* 1 customers?, 1 accounts?$/m)
    assert.match(answer, /^200 /)
    assert.equal(JSON.parse(answer.slice(4)).data.transactions[0].accountId, account)
  })

  it('finishes what is in flight when it is told to stop', async (t) => {
    const bank = await openBank(t)
    await bank.fill(ownData)
    const { child, address, ended } = await startDemo(bank)
    const url = `${address}/v1/banking/customer/c1/accounts/balances`
    const body = JSON.stringify({ data: { accountIds: ['a1'] } })
    const post = request(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await tokenFor(bank, url)}`,
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
    const [answer] = await once(post, 'response')

    assert.equal(answer.statusCode, 200)
    assert.deepEqual(JSON.parse(await text(answer)).data.balances, [
      JSON.parse(put.balance('a1')).record,
    ])
    assert.equal(await ended, 0)
  })

  it('names the port that is in use, and says that it needs two', {
    timeout: 20_000,
  }, async (t) => {
    const bank = await openBank(t)
    await bank.fill(ownData)
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    t.after(() => other.close())
    const { port } = other.address() as AddressInfo

    for (const given of [port, port - 1]) {
      const { status, stdout, stderr } = await finish(bank.start(['demo', '--port', String(given)]))

      const start = `port ${port} is already in use: the demo uses two ports, --port for the provider and the next `
      assert.ok(stderr.startsWith(start), stderr)
      assert.deepEqual({ status, stdout }, { status: 1, stdout: '' })
    }
  })

  it('explains in its help that it uses two ports', async () => {
    const { status, stdout } = await runInProcess(['demo', '--help'])

    assert.match(
      stdout.replaceAll(/\s+/g, ' '),
      /on two ports: --port for the provider and the next/,
    )
    assert.equal(status, 0)
  })

  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'bank.example', '127.bank.example']) {
    it(`refuses to listen on ${host}, which others can reach`, async (t) => {
      const bank = await openBank(t)

      const flags = ['--host', host, '--port', '0', '--database', bank.database()]
      const { status, stdout, stderr } = await runInProcess(['demo', ...flags])

      assert.match(stderr, /^--host must be this machine’s own address/)
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
