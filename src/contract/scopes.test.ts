import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { permits, type Scope, scopes } from './scopes.ts'

const included: Record<Scope, readonly Scope[]> = {
  'products.read': ['products.read'],
  'products.write': ['products.read', 'products.write'],
  'data.read': ['data.read'],
  'data.write': ['data.write'],
  'consent.read': ['consent.read'],
  'consent.write': ['consent.read', 'consent.write'],
  'operations.read': ['operations.read'],
  'operations.write': ['operations.read', 'operations.write'],
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
