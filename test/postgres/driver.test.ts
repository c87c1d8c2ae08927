import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  knownVersions,
  requireKnownDriver,
} from '../../src/storage/postgres/driver/pg-internals.ts'

describe('the PostgreSQL driver', () => {
  it('is accepted as it is installed', () => {
    assert.doesNotThrow(() => requireKnownDriver())
  })

  for (const name of ['pg', 'pg-protocol'] as const) {
    it(`is rejected with another version of ${name}`, () => {
      assert.throws(() => requireKnownDriver({ ...knownVersions, [name]: '99.0.0' }), {
        name: 'DatabaseError',
        message: new RegExp(`${name} is 99\\.0\\.0 instead of ${knownVersions[name]}`),
      })
    })
  }
})
