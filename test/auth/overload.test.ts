import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openDeployment } from '../support/deployment.ts'
import { describe, describeOn } from '../support/engines.ts'
import { type Answer, send } from '../support/http.ts'
import { accountsPath } from '../support/small-bank.ts'
import { openTokenProvider } from '../support/token-provider.ts'

/** More than are worked on at once. */
const askers = 1200
const floods = 3

/** What a flood may add to a process, in megabytes: connections, code, and what is not yet collected. */
const growthMax = 250

function assertTurnedAway({ status, text, headers }: Answer): void {
  assert.deepEqual([status, text], [503, '{"error":"Service unavailable"}'])
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
}

/** Resident memory, in megabytes. */
function memoryOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1]) / 1024
}

describe('a provider that is asked more than it can answer', { timeout: 120_000 }, () => {
  it('answers what it can, turns the rest away unspent, and recovers by itself', async (t) => {
    const { startProvider, mint } = await openDeployment(t)
    const { pid, port } = await startProvider({ 'log-level': 'warn' })
    const agent = new Agent({ keepAlive: true, maxSockets: askers, maxFreeSockets: askers })
    t.after(() => agent.destroy())
    const ask = (token: string) =>
      send(port, accountsPath, { headers: ['authorization', `Bearer ${token}`], agent })
    const answered: string[] = []
    const rejected: string[] = []
    const askOnce = async (): Promise<void> => {
      const token = mint(accountsPath)
      const answer = await ask(token)
      if (answer.status !== 200) assertTurnedAway(answer)
      ;(answer.status === 200 ? answered : rejected).push(token)
    }
    const flood = () => Promise.all(Array.from({ length: askers }, askOnce))
    await flood()
    const before = memoryOf(pid)

    // While the process is held, all of the flood gathers before it.
    for (let turn = 0; turn < floods; turn += 1) {
      const sent = new Map(socketsOf(agent).map((socket) => [socket, socket.bytesWritten]))
      assert.equal(sent.size, askers)
      process.kill(pid, 'SIGSTOP')
      const flooded = flood()
      while ([...sent].some(([socket, bytes]) => socket.bytesWritten <= bytes)) await setTimeout(1)
      process.kill(pid, 'SIGCONT')
      await flooded
    }
    const growth = memoryOf(pid) - before
    const counts = `${answered.length} answered, ${rejected.length} turned away`

    t.diagnostic(`${counts}, ${growth.toFixed(0)} MB more`)
    assert.equal(answered.length + rejected.length, askers * (1 + floods))
    assert.ok(answered.length > 0 && rejected.length > 0, counts)
    assert.ok(growth < growthMax, `${growth} MB`)
    for (const token of rejected.slice(0, 100)) assert.equal((await ask(token)).status, 200)
    for (const token of answered.slice(-100)) assert.equal((await ask(token)).status, 401)
  })
})

function socketsOf({ freeSockets }: Agent): Socket[] {
  return Object.values(freeSockets).flatMap((group) => group ?? [])
}

describeOn('sqlite', 'what is turned away', () => {
  it('is told in the log by its number, and not one by one', async (t) => {
    const provider = await openTokenProvider(t, {
      limits: { inFlightMax: 0, inFlightMin: 0, checkIntervalMs: 5 },
    })

    for (let turn = 0; turn < 3; turn += 1) {
      assertTurnedAway(await provider.ask(provider.mint(accountsPath)))
    }
    const told = () =>
      provider.log
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg === 'overloaded: requests rejected')
        .reduce((sum, { requests }) => sum + requests, 0)
    while (told() < 3) await setTimeout(1)

    assert.equal(told(), 3)
    assert.ok(!provider.log.some((line) => line.includes('request failed')))
    assert.deepEqual(await provider.usedTokenIds(), [])
  })
})
