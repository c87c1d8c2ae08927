import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openFeedStore } from '../../src/storage/open.ts'
import { openBank } from '../load/bank.ts'
import { createTraffic, type Traffic } from '../load/traffic.ts'
import { describe } from '../support/engines.ts'
import { killCount, randomSource } from '../support/kills.ts'
import { runInProcess, type Server, startServer } from '../support/process.ts'
import { until } from '../support/until.ts'

const feeds = ['core', 'cards']

describe('kill -9 of the intake', () => {
  it('neither loses nor repeats a batch, at any point', async (t) => {
    const bank = await openBank(t)
    const random = randomSource()
    const traffics = new Map(feeds.map((feed) => [feed, createTraffic(random, `${feed}-`)]))
    await bank.fill([...traffics.values()].flatMap(({ base }) => base))
    const store = await openFeedStore(bank.database())
    t.after(() => store.close())
    let intake = await serve('0')
    const { port } = intake
    const token = await issueToken(port)
    let isEnding = false

    function serve(fixedPort: string): Promise<Server> {
      const flags = { database: bank.database(), port: fixedPort, 'log-level': 'silent' }
      return startServer(t, ['serve', 'intake'], flags)
    }
    async function issueToken(intakePort: number): Promise<string> {
      const flags = ['--scope', 'data.write', '--database', bank.database()]
      const { stdout } = await runInProcess(['client', 'add', 'core', ...flags])
      const read = (name: string) => new RegExp(`${name}: (\\S+)`).exec(stdout)?.[1]
      const response = await fetch(`http://127.0.0.1:${intakePort}/v1/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_id: read('client_id'),
          client_secret: read('client_secret'),
        }),
      })
      return ((await response.json()) as { token: string }).token
    }
    /** Sends a batch until it is answered. */
    const send = async (feed: string, number: number, body: string): Promise<void> => {
      for (;;) {
        const response = await fetch(
          `http://127.0.0.1:${port}/v1/feeds/${feed}/batches/${number}`,
          {
            method: 'PUT',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
            body,
          },
        ).catch(() => undefined)
        const text = await response?.text().catch(() => undefined)
        if (response?.status === 200 && text !== undefined) {
          assert.equal((JSON.parse(text) as { batch: number }).batch, number)
          return
        }
        if (response && text !== undefined) assert.equal(response.status, 503, text)
        await setTimeout(2)
      }
    }
    const sendAll = async ([feed, traffic]: [string, Traffic]): Promise<number> => {
      let number = 0
      while (!isEnding) {
        number += 1
        await send(feed, number, traffic.take(1 + random(30)))
      }
      return number
    }
    const sending = Promise.all([...traffics].map(sendAll))
    for (let killed = 0; killed < killCount; killed += 1) {
      const before = (await store.find('core'))?.batch ?? 0
      await until(async () => ((await store.find('core'))?.batch ?? 0) > before)
      await setTimeout(random(30))
      await intake.kill()
      intake = await serve(String(port))
    }
    isEnding = true
    const numbers = await sending

    const model = await openBank(t)
    for (const traffic of traffics.values()) await model.fill(traffic.all())
    assert.equal(await bank.dump(), await model.dump())
    for (const [index, [feed, traffic]] of [...traffics].entries()) {
      const found = await store.find(feed)
      assert.deepEqual(
        { batch: found?.batch, lines: found?.lines },
        { batch: numbers[index], lines: traffic.count() },
      )
    }
  })
})
