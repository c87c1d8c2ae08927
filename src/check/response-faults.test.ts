import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { providerOperations } from '../contract/index.ts'
import { findResponseFaults } from './response-faults.ts'

describe('the faults of a response', () => {
  it('are found one after another, without reading what follows', () => {
    let read = 0
    const accounts = new Proxy(Array(1000).fill(0), {
      get(target, name) {
        read += Number(/^\d+$/.test(String(name)))
        return Reflect.get(target, name)
      },
    })
    const { listBankingAccounts } = providerOperations

    const faults = findResponseFaults(listBankingAccounts, '{}', { data: { accounts } }, 4)
    const paths = faults.filter(({ path }) => path.startsWith('data')).take(2)

    assert.deepEqual(
      paths.toArray().map(({ path }) => path),
      ['data.accounts[0]', 'data.accounts[1]'],
    )
    assert.ok(read <= 3, String(read))
  })
})
