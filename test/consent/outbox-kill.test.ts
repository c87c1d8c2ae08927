import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { decodeJwt } from 'jose'
import { makeSigningKey } from '../../src/auth/signing.ts'
import { backupDatabase, openConsentStore, openSigningKeyStore } from '../../src/storage/open.ts'
import { describe, describeOn, newDatabase, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { kill, readOutput, start } from '../support/process.ts'
import { until } from '../support/until.ts'
import { openRecipient } from './recipient.ts'
import { makeArrangement, makeThirdParty } from './stores.ts'

const program = fileURLToPath(new URL('outbox-program.ts', import.meta.url))

/** Longer than a claim excludes other processes. */
const leaseIsOver = 61

/** Withdrawn consents, and a third party that does not respond. */
async function open(scope: Scope, count: number) {
  const database = await newDatabase(scope)
  const store = await openConsentStore(database)
  scope.after(() => store.close())
  const now = Temporal.Now.instant()
  const keys = await openSigningKeyStore(database)
  await keys.add(await makeSigningKey('ES256', now.subtract({ hours: 1 })))
  await keys.close()
  const recipient = await openRecipient(scope)
  const held: ServerResponse[] = []
  recipient.respondWith((response) => held.push(response))
  await store.thirdParties.add(makeThirdParty('tp', { recipientBaseUri: recipient.baseUri }))
  const ids = Array.from({ length: count }, (_, index) => `r${index}`)
  const until = now.add({ hours: 1 })
  for (const id of ids) {
    await store.arrangements.add(makeArrangement(id, { from: now, until }))
    await store.arrangements.withdraw(id, 'customer', now)
  }
  return {
    database,
    recipient,
    held,
    respond() {
      recipient.respondWith((response) => response.writeHead(204).end())
      for (const response of held) response.writeHead(204).end()
    },
    startProcess(aheadSeconds = 0, other = database) {
      const child = start(scope, [process.execPath, program, other, String(aheadSeconds)])
      return { child, output: readOutput(child) }
    },
    /** How many attempts each delivered message took. */
    async countAttempts(): Promise<number[]> {
      const found = [...(await store.outbox.listMessages(ids)).values()].flat()
      const delivered = found.filter(({ state }) => state === 'delivered')
      return delivered.map(({ attempts }) => attempts)
    },
  }
}

describe('a message of a process that is killed while it sends it', () => {
  it('arrives again from another process, with other tokens', async (t) => {
    const { recipient, respond, startProcess, countAttempts } = await open(t, 1)
    const { child, output } = startProcess()
    await until(() => recipient.requests.length === 1, output.stderr)

    await kill(child)
    respond()
    const next = startProcess(leaseIsOver)

    await until(async () => (await countAttempts()).length === 1, next.output.stderr)
    assert.deepEqual(await countAttempts(), [2])
    const tokens = recipient.requests.flatMap(({ authorization, form }) => [
      decodeJwt(authorization.replace('Bearer ', '')),
      decodeJwt(form.get('cdr_arrangement_jwt') ?? ''),
    ])
    assert.equal(new Set(tokens.map(({ jti }) => jti)).size, 4)
  })

  it('is the only one that arrives twice of many that two processes send', async (t) => {
    const { recipient, held, respond, startProcess, countAttempts } = await open(t, 40)
    const killed = startProcess()
    const other = startProcess()
    await until(
      () => recipient.requests.length === 8,
      () => killed.output.stderr() + other.output.stderr(),
    )

    await kill(killed.child)
    await until(() => held.filter(({ destroyed }) => destroyed).length === 4)
    respond()
    await until(async () => (await countAttempts()).length === 36, other.output.stderr)
    const later = startProcess(leaseIsOver)

    await until(async () => (await countAttempts()).length === 40, later.output.stderr)
    const attempts = (await countAttempts()).toSorted((a, b) => b - a)
    assert.deepEqual(attempts, [...Array(4).fill(2), ...Array(36).fill(1)])
    const ids = recipient.requests.map(({ form }) => form.get('cdr_arrangement_id'))
    assert.deepEqual([ids.length, new Set(ids).size], [44, 40])
  })
})

describeOn('sqlite', 'a message that waited during a backup', () => {
  it('arrives again after a restore, with other tokens', async (t) => {
    const { database, recipient, respond, startProcess, countAttempts } = await open(t, 1)
    const copy = join(await temporaryFolder(t), 'bank.db')
    const { signal } = new AbortController()
    await backupDatabase(database, copy, { force: false, signal })
    respond()
    const { output } = startProcess()
    await until(async () => (await countAttempts()).length === 1, output.stderr)

    const restored = startProcess(0, `sqlite:${copy}`)

    await until(() => recipient.requests.length === 2, restored.output.stderr)
    const [first, second] = recipient.requests
    assert.equal(first?.form.get('cdr_arrangement_id'), second?.form.get('cdr_arrangement_id'))
    assert.notEqual(first?.authorization, second?.authorization)
  })
})
