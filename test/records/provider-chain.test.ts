import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { makeSigningKey } from '../../src/auth/signing.ts'
import { openRecorder } from '../../src/disclosures/recorder.ts'
import { removeExpired } from '../../src/disclosures/retention.ts'
import { openProviderRecords, openReplayStore } from '../../src/storage/open.ts'
import { createScope, describe, type Scope } from '../support/engines.ts'
import { openProvider } from '../support/provider.ts'
import { accountsPath, createSmallBank } from '../support/small-bank.ts'
import { openRecordCommands } from './recording.ts'

const start = Temporal.Instant.from('2026-07-01T00:00:00Z')

/** A provider whose records have the time of a clock that the test sets. */
async function openTimedProvider(t: Scope) {
  const scope = createScope(t)
  const database = await createSmallBank(scope)
  let now = start
  const clock = () => now
  const replays = await openReplayStore(database, clock)
  scope.after(() => replays.close())
  const { store, signingKeys, close } = await openProviderRecords(database)
  scope.after(close)
  await signingKeys.add(await makeSigningKey('ES256', start))
  const recorder = openRecorder({
    store,
    appendWithUses: store.appendWithUses,
    signingKeys,
    clock,
    onHead: () => {},
    onError: (error) => assert.fail(error),
  })
  const provider = await openProvider(scope, [], {
    database,
    recording: { recorder },
    verifyToken: async ({ recordUse }) => {
      const use = { tokenId: randomUUID(), keptUntil: Math.floor(Date.now() / 1000) + 300 }
      return { recorded: Promise.resolve(recordUse?.(use)).then(() => {}) }
    },
  })
  return {
    ...openRecordCommands(database),
    recorder,
    store,
    pass(duration: Temporal.DurationLike) {
      now = now.toZonedDateTimeISO('UTC').add(duration).toInstant()
    },
    now: clock,
    async ask() {
      const { status, text } = await provider.get(accountsPath)
      assert.equal(status, 200, text)
    },
  }
}

describe('the chain of a provider', () => {
  it('keeps the order of its records while the clock is set back a little', async (t) => {
    const { ask, pass, list, run, recorder } = await openTimedProvider(t)

    await ask()
    pass({ seconds: -10 })
    await ask()
    pass({ seconds: 11 })
    await ask()
    await recorder.close()

    const times = (await list()).map(({ time }) => time)
    assert.deepEqual(times, [
      '2026-07-01T00:00:00Z',
      '2026-07-01T00:00:00Z',
      '2026-07-01T00:00:01Z',
    ])
    const { stdout } = await run('verify')
    assert.equal(stdout, 'verified 3 records in 4 blocks of 1 chain\n')
  })

  it('ends when the clock is set back further, and another one has the times of the clock', async (t) => {
    const { ask, pass, list, run, recorder } = await openTimedProvider(t)

    await ask()
    pass({ years: 1 })
    await ask()
    pass({ years: -1 })
    await recorder.stateRemoval([])
    pass({ hours: 1 })
    await ask()
    await recorder.close()

    const times = (await list()).map(({ time }) => time)
    assert.deepEqual(times, [
      '2026-07-01T00:00:00Z',
      '2026-07-01T01:00:00Z',
      '2027-07-01T00:00:00Z',
    ])
    const { stdout } = await run('verify')
    assert.equal(stdout, 'verified 3 records in 6 blocks of 2 chains\n')
  })

  it('names the last block that expired, so that its verification succeeds', async (t) => {
    const { ask, pass, list, run, recorder, store, now } = await openTimedProvider(t)

    await ask()
    pass({ years: 6 })
    await ask()
    await removeExpired(store, recorder, now().subtract({ hours: 24 }))
    await recorder.close()

    const [record, ...others] = await list('--customer', 'c1')
    assert.deepEqual(others, [])
    assert.equal(record?.['time'], '2032-07-01T00:00:00Z')
    const { status, stdout } = await run('verify')
    assert.equal(status, 0, stdout)
  })
})
