import assert from 'node:assert/strict'
import { it } from 'node:test'
import { put } from '../load/lines.ts'
import { describe } from '../support/engines.ts'
import { sharedIntake } from '../support/intake.ts'

const shared = sharedIntake()

/** Appears in every value of the lines that a customer, an account or a transaction of the tests has. */
const marker = 'Wilhelmina-0417'

describe('errors of lines', () => {
  it('contain no values, neither in the response nor in the log', async () => {
    const { log, put: send } = await shared()
    const invalid = [
      put.customer(`c-${marker}`, { email: marker, name: [marker], updatedAt: marker }),
      put.account(`a-${marker}`, ['c'], { creationDate: marker, openStatus: marker }),
      put.transaction(`a-${marker}`, marker, { amount: marker, postingDateTime: marker }),
      `{"type":"${marker}"}`,
      `{"type":"customer","record":"${marker}"}`,
      `{"type":"customer","delete":{"id":["${marker}"]}}`,
      `"${marker}`,
      `\ufffe${marker}`,
    ]
    const unresolved = [
      put.transaction(`a-${marker}`, `t-${marker}`),
      put.balance(`a-${marker}`),
      put.account(`b-${marker}`, [`c-${marker}`]),
      put.contact(`a-${marker}`),
    ]
    for (const [feed, lines, errors] of [
      ['invalid', invalid, 8],
      ['unresolved', unresolved, 4],
    ] as const) {
      const { status, body, text } = await send(feed, 1, lines)

      assert.equal(status, 422)
      assert.equal(new Set(body.errors.map(({ line }: { line: number }) => line)).size, errors)
      assert.ok(!text.includes(marker), text)
    }
    assert.ok(log.length > 0)
    assert.ok(!log.join('').includes(marker))
  })
})
