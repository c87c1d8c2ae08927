import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { it } from 'node:test'
import { openDeployment } from '../support/deployment.ts'
import { describeOnce } from '../support/engines.ts'
import { type Answer, retryWhileOverloaded, send } from '../support/http.ts'
import { accountsPath } from '../support/small-bank.ts'
import { openTokenProvider } from '../support/token-provider.ts'
import { until } from '../support/until.ts'

/** More than the in-flight limit. */
const clients = 1100

/** How much a flood may add to the memory of the process, in megabytes. */
const growthMax = 250

function assertOverloaded({ status, text, headers }: Answer): void {
  assert.deepEqual([status, text], [503, '{"error":"Service unavailable"}'])
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
}

/** Resident memory, in megabytes. */
function readMemory(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1]) / 1024
}

describeOnce('an overloaded provider', () => {
  it('serves what it can, rejects the rest without using their tokens, and recovers', async (t) => {
    const { startProvider, mint } = await openDeployment(t)
    const { pid, port } = await startProvider({ 'log-level': 'warn' })
    const agent = new Agent({ keepAlive: true, maxSockets: clients, maxFreeSockets: clients })
    t.after(() => agent.destroy())
    const sendToken = (token: string) =>
      send(port, accountsPath, { headers: ['authorization', `Bearer ${token}`], agent })
    const answered: string[] = []
    const rejected: string[] = []
    const sendOnce = async (): Promise<void> => {
      const token = mint(accountsPath)
      const answer = await sendToken(token)
      if (answer.status !== 200) assertOverloaded(answer)
      ;(answer.status === 200 ? answered : rejected).push(token)
    }
    const flood = () => Promise.all(Array.from({ length: clients }, sendOnce))
    await flood()
    const before = readMemory(pid)

    // All requests of the second flood arrive while the process is stopped.
    const sent = new Map(freeSockets(agent).map((socket) => [socket, socket.bytesWritten]))
    assert.equal(sent.size, clients)
    process.kill(pid, 'SIGSTOP')
    const flooded = flood()
    await until(() => [...sent].every(([socket, bytes]) => socket.bytesWritten > bytes))
    process.kill(pid, 'SIGCONT')
    await flooded
    const growth = readMemory(pid) - before
    const counts = `${answered.length} answered, ${rejected.length} rejected`

    t.diagnostic(`${counts}, ${growth.toFixed(0)} MB more`)
    assert.equal(answered.length + rejected.length, clients * 2)
    assert.ok(answered.length > 0 && rejected.length > 0, counts)
    assert.ok(growth < growthMax, `${growth} MB`)
    const sendAgain = (token: string) => retryWhileOverloaded(() => sendToken(token))
    for (const token of rejected.slice(0, 50)) assert.equal((await sendAgain(token)).status, 200)
    for (const token of answered.slice(-50)) assert.equal((await sendAgain(token)).status, 401)
  })
})

function freeSockets(agent: Agent): Socket[] {
  return Object.values(agent.freeSockets).flatMap((group) => group ?? [])
}

describeOnce('rejected requests', () => {
  it('are logged as a count, not one by one', async (t) => {
    const provider = await openTokenProvider(t, {
      limits: { inFlightMax: 0, inFlightMin: 0, checkIntervalMs: 5 },
    })

    for (let round = 0; round < 3; round += 1) {
      assertOverloaded(await provider.ask(provider.mint(accountsPath)))
    }
    const logged = () =>
      provider.log
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg === 'overloaded: requests rejected')
        .reduce((sum, { requests }) => sum + requests, 0)
    await until(() => logged() >= 3)

    assert.equal(logged(), 3)
    assert.ok(!provider.log.some((line) => line.includes('request failed')))
    assert.deepEqual(await provider.usedTokenIds(), [])
  })
})
