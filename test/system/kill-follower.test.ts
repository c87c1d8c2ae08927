import assert from 'node:assert/strict'
import { appendFileSync, renameSync } from 'node:fs'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openFeedStore } from '../../src/storage/open.ts'
import { openBank } from '../load/bank.ts'
import { createTraffic } from '../load/traffic.ts'
import { describe } from '../support/engines.ts'
import { killCount, randomSource } from '../support/kills.ts'
import { kill, readOutput } from '../support/process.ts'
import { until } from '../support/until.ts'

describe('kill -9 of a follower', () => {
  it('neither loses nor repeats a line, at any point', async (t) => {
    const bank = await openBank(t)
    const random = randomSource()
    const traffic = createTraffic(random)
    await bank.fill(traffic.base)
    const file = bank.path('changes.ndjson')
    const store = await openFeedStore(bank.database())
    t.after(() => store.close())
    appendFileSync(file, '')
    let rotations = 0

    const append = (): void => {
      appendFileSync(file, traffic.take(1 + random(40)))
      if (random(8) > 0) return
      for (let number = rotations; number > 0; number -= 1) {
        renameSync(`${file}.${number}`, `${file}.${number + 1}`)
      }
      rotations += 1
      renameSync(file, `${file}.1`)
      appendFileSync(file, traffic.take(1))
    }
    const start = () => {
      const flags = ['--feed', 'core', '--batch', '7', '--flush-ms', '5']
      const follower = bank.start(['load', '--follow', 'changes.ndjson', ...flags])
      return Object.assign(follower, { output: readOutput(follower) })
    }
    for (let killed = 0; killed < killCount; killed += 1) {
      const before = (await store.find('core'))?.batch ?? 0
      const follower = start()
      append()
      // Half of the followers are killed before their first commit.
      if (random(2) > 0) {
        await until(async () => ((await store.find('core'))?.batch ?? 0) > before)
      }
      for (let appended = random(5); appended > 0; appended -= 1) {
        append()
        await setTimeout(random(20))
      }
      assert.equal(follower.exitCode, null, follower.output.stderr())
      await kill(follower)
    }
    const last = start()
    await until(
      async () => (await store.find('core'))?.lines === traffic.count() || last.exitCode !== null,
    )
    assert.equal(last.exitCode, null, last.output.stderr())
    last.kill('SIGTERM')

    const model = await openBank(t)
    await model.fill(traffic.all())
    assert.equal(await bank.dump(), await model.dump())
    assert.equal((await store.find('core'))?.lines, traffic.count())
  })
})
