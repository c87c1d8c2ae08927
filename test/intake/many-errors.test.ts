import assert from 'node:assert/strict'
import { it } from 'node:test'
import { batchBytesMax } from '../../src/contract/index.ts'
import { put } from '../load/lines.ts'
import { describe, describeOnce } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import { type Intake, sharedIntake } from '../support/intake.ts'

const shared = sharedIntake()

/** Repeats a line up to the largest size of a batch. */
function fillBatch(line: string): Buffer {
  return Buffer.alloc(batchBytesMax - (batchBytesMax % line.length), line)
}

async function assertStopped(
  intake: Intake,
  feed: string,
  body: Parameters<Intake['put']>[2],
): Promise<Answer> {
  const answer = await intake.put(feed, 1, body)
  assert.equal(answer.status, 422, answer.text)
  assert.equal(
    answer.body.error,
    'at least 10000 errors, of which the first 1000 are listed: nothing was changed',
  )
  assert.equal(answer.body.errors.length, 1000)
  assert.equal((await intake.get(`/v1/feeds/${feed}`)).status, 404)
  return answer
}

describeOnce('a batch of millions of invalid lines', () => {
  for (const line of ['x\n', '{}\n']) {
    it(`is not read to its end, if each is ${JSON.stringify(line)}`, async () => {
      const { body } = await assertStopped(await shared(), 'short', fillBatch(line))

      assert.equal(body.errors.at(-1).line, 1000)
    })
  }
})

describe('a batch of many lines that refer to nothing', () => {
  it('is rejected with the first errors, if its accounts are unknown', async () => {
    const lines = Array.from({ length: 12_000 }, (_, at) => put.transaction('unknown', `t${at}`))

    const { body } = await assertStopped(await shared(), 'accounts', lines)

    assert.deepEqual(
      body.errors,
      Array.from({ length: 1000 }, (_, at) => ({
        line: at + 1,
        field: 'accountId',
        reason: 'banking account not found',
      })),
    )
  })

  it('is rejected with the first errors, if its accounts have unknown holders', async () => {
    const holders = Array.from({ length: 12_000 }, (_, at) => `h${at}`)
    const lines = [put.account('a1', holders), put.account('a2', holders)]

    const { body } = await assertStopped(await shared(), 'holders', lines)

    assert.deepEqual(body.errors.at(-1), {
      line: 1,
      field: 'holders[999].customerId',
      reason: 'customer not found',
    })
  })
})
