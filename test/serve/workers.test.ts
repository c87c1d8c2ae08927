import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, it } from 'node:test'
import { makeSigningKey, toPublicKeySet } from '../../src/auth/signing.ts'
import { openSigner } from '../../src/client/sign.ts'
import { closingTogether, describe, newDatabase } from '../support/engines.ts'
import { childrenOf } from '../support/processes.ts'
import { holdfastProgram } from '../support/program.ts'

const providerUrl = 'https://bank.example'
const path = '/auth/v1/customer/c1'

describe('three workers on one port', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-workers-'))
  const keyServer = createServer((_request, response) => response.end(keySet))
  let keySet = ''
  let sign: (resource: string) => Promise<string>
  let supervisor: ChildProcess
  let address = ''
  const errors: string[] = []
  const closing = closingTogether({ after })

  const ask = async (token: string) =>
    (await fetch(address + path, { headers: { authorization: `Bearer ${token}` } })).status

  before(async () => {
    const database = await newDatabase(closing)
    const key = await makeSigningKey('ES256', Temporal.Now.instant())
    keySet = JSON.stringify(toPublicKeySet([key]))
    sign = openSigner({ ...key.privateKey, kid: key.id, alg: key.algorithm }, 's')
    keyServer.listen(0, '127.0.0.1')
    await once(keyServer, 'listening')

    const lines = join(folder, 'lines.ndjson')
    writeFileSync(
      lines,
      '{"type":"customer","record":{"id":"c1","name":"Ana","email":"a@example.com"}}',
    )
    execFileSync(process.execPath, [holdfastProgram, 'load', lines, '--database', database])

    const { port } = keyServer.address() as AddressInfo
    const settings = {
      database,
      port: '0',
      workers: '3',
      subdomain: 's',
      'provider-url': providerUrl,
      'jwks-url': `http://127.0.0.1:${port}/`,
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
    supervisor = spawn(process.execPath, [holdfastProgram, 'serve', 'provider', ...flags])
    supervisor.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString()))
    const [ready] = (await once(
      createInterface({ input: supervisor.stdout as never }),
      'line',
    )) as [string]
    address = /http:\/\/\S+?(?=,)/.exec(ready)?.[0] ?? ''
  })
  after(async () => {
    supervisor.kill('SIGKILL')
    keyServer.close()
    keyServer.closeAllConnections()
    rmSync(folder, { recursive: true })
  })

  it('let exactly one of a hundred uses of a token pass', async () => {
    const token = await sign(providerUrl + path)

    const statuses = await Promise.all(Array.from({ length: 100 }, () => ask(token)))

    assert.equal(statuses.filter((status) => status === 200).length, 1)
    assert.equal(statuses.filter((status) => status === 401).length, 99)
  })

  it('go on when one of them is killed, and get another in its place', async () => {
    const before = childrenOf(supervisor.pid)
    const [victim = 0] = before
    const replaced = new Promise<void>((resolve) => {
      supervisor.stderr?.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes(`"pid":${victim},`)) resolve()
      })
    })

    process.kill(victim, 'SIGKILL')
    await replaced
    let now = childrenOf(supervisor.pid)
    for (let tries = 0; now.length < 3 && tries < 10_000; tries += 1) {
      assert.equal(await ask(await sign(providerUrl + path)), 200)
      now = childrenOf(supervisor.pid)
    }

    assert.equal(now.length, 3)
    assert.ok(!now.includes(victim))
  })

  it('end when the supervisor is asked to, with 0', async () => {
    supervisor.kill('SIGTERM')
    const [status] = await once(supervisor, 'exit')

    assert.equal(status, 0)
    await assert.rejects(ask(await sign(providerUrl + path)))
  })
})
