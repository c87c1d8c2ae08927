import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { amountKey } from './amount-key.ts'
import { amountCode, isSharedCode } from './search-index.ts'

describe('the code of an amount', () => {
  const digits = (maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...'0159'), minLength: 1, maxLength })
  const decimal = fc
    .tuple(fc.boolean(), digits(12), fc.option(digits(4)))
    .map(([minus, whole, part]) => `${minus ? '-' : ''}${whole}${part === null ? '' : `.${part}`}`)
  const code = (amount: string) => amountCode(amountKey(amount))

  it('has the order of the amounts, and only odd codes are shared', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const [one, other] = [a, b].map(amountKey).sort() as [string, string]

        assert.ok(amountCode(one) <= amountCode(other), `${a} and ${b}`)
        if (one !== other && amountCode(one) === amountCode(other)) {
          assert.ok(isSharedCode(amountCode(one)), `${a} and ${b}`)
        }
      }),
      { numRuns: 5000 },
    )
  })

  it('is twice the cents', () => {
    assert.deepEqual(
      ['0', '-0.00', '0.01', '-12.5', '1234567.89'].map(code),
      [0, 0, 2, -2500, 246_913_578],
    )
  })

  it('is odd between two cents and beyond ten million', () => {
    assert.deepEqual(['0.001', '-0.009', '12.501'].map(code), [1, -1, 2501])
    assert.deepEqual(['10737418.24', '-99999999999'].map(code), [2 ** 31 - 3, 3 - 2 ** 31])
  })
})
