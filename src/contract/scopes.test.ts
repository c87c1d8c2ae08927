import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { permits, type Scope, scopes } from './scopes.ts'

const included: Record<Scope, readonly Scope[]> = {
  'products.read': ['products.read'],
  'products.write': ['products.read', 'products.write'],
  'data.write': ['data.write'],
  'consent.read': ['consent.read'],
}

describe('a token', () => {
  for (const granted of scopes) {
    it(`with the scope ${granted} permits ${included[granted].join(' and ')}`, () => {
      assert.deepEqual(
        scopes.filter((needed) => permits([granted], needed)),
        included[granted],
      )
    })
  }
})
