import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { amountKey } from './amount-key.ts'

describe('the key of an amount', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0159'), minLength: 1, maxLength: 32 })
  const decimal = fc
    .tuple(fc.boolean(), digits, fc.option(digits))
    .map(([minus, whole, part]) => `${minus ? '-' : ''}${whole}${part === null ? '' : `.${part}`}`)

  /** The value as an integer: amounts have at most 32 decimals. */
  function exact(text: string): bigint {
    const [whole = '', part = ''] = text.replace('-', '').split('.')
    const value = BigInt(whole + part.padEnd(32, '0'))
    return text.startsWith('-') ? -value : value
  }

  function order(a: string, b: string): number {
    return Math.sign(Buffer.compare(Buffer.from(amountKey(a)), Buffer.from(amountKey(b))))
  }

  it('has the byte order of the exact decimals', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const difference = exact(a) - exact(b)
        assert.equal(order(a, b), difference === 0n ? 0 : difference < 0n ? -1 : 1)
      }),
      { numRuns: 5000 },
    )
  })

  it('does not depend on leading and trailing zeros', () => {
    fc.assert(
      fc.property(decimal, fc.nat({ max: 5 }), (text, zeros) => {
        const padding = '0'.repeat(zeros)
        const leading = text.replace(/\d/, (digit) => padding + digit)
        const trailing = text.includes('.') ? text + padding : `${text}.0${padding}`

        assert.equal(amountKey(leading), amountKey(text))
        assert.equal(amountKey(trailing), amountKey(text))
      }),
    )
  })

  const sorted =
    '-100 -99.99 -10 -9.5 -9.05 -9 -1 -0.55 -0.5 -0.05 0 0.05 0.5 0.55 1 9 9.05 10 99.99 100'
  it(`sorts ${sorted}`, () => {
    const amounts = sorted.split(' ')

    for (const [low, high] of amounts.slice(1).map((each, index) => [amounts[index], each])) {
      assert.equal(order(low ?? '', high ?? ''), -1, `${low} is less than ${high}`)
    }
    assert.equal(amountKey('-0.00'), amountKey('0'))
  })
})
