import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { describe, describeOn } from '../support/engines.ts'
import { openTown } from './processes.ts'
import { type Answer, accountsPath, openWorld, sendTo } from './world.ts'

const askers = 1500
const requestsOfEach = 6

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
    const { startProvider, mint } = await openTown(t)
    const { pid, port } = await startProvider()
    const agent = new Agent({ keepAlive: true, maxSockets: askers })
    t.after(() => agent.destroy())
    const ask = (token: string) =>
      sendTo(port, accountsPath, { headers: ['authorization', `Bearer ${token}`] }, agent)
    for (let turn = 0; turn < 100; turn += 1) await ask(mint(accountsPath))
    const before = memoryOf(pid)

    const turnedAway: string[] = []
    let answered = 0
    await Promise.all(
      Array.from({ length: askers }, async () => {
        for (let turn = 0; turn < requestsOfEach; turn += 1) {
          const token = mint(accountsPath)
          const answer = await ask(token)
          if (answer.status === 200) answered += 1
          else {
            assertTurnedAway(answer)
            turnedAway.push(token)
          }
        }
      }),
    )
    const growth = memoryOf(pid) - before

    assert.equal(answered + turnedAway.length, askers * requestsOfEach)
    assert.ok(
      answered > 0 && turnedAway.length > 0,
      `${answered} answered, ${turnedAway.length} not`,
    )
    assert.ok(growth < growthMax, `${growth} MB`)
    t.diagnostic(`${answered} answered, ${turnedAway.length} turned away, ${growth.toFixed(0)} MB`)
    for (const token of turnedAway.slice(0, 200)) assert.equal((await ask(token)).status, 200)
  })
})

describeOn('sqlite', 'what is turned away', () => {
  it('is told in the log by its number, and not one by one', async (t) => {
    const world = await openWorld(t, { limits: { workMax: 0, workMin: 0, checkMs: 5 } })

    for (let turn = 0; turn < 3; turn += 1) {
      assertTurnedAway(await world.ask(world.mint(accountsPath)))
    }
    const told = () =>
      world.log
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg === 'overloaded: turned away')
        .reduce((sum, { requests }) => sum + requests, 0)
    while (told() < 3) await setTimeout(1)

    assert.equal(told(), 3)
    assert.ok(!world.log.some((line) => line.includes('request failed')))
    assert.deepEqual(await world.claimedIds(), [])
  })
})
