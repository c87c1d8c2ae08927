import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { diffProducts } from './diff.ts'

const fee = (name: string, amount = '1.00') => ({ name, fixed_amount: { amount } })

describe('diffProducts', () => {
  it('imports nothing, so that browsers can run it', () => {
    const source = readFileSync(new URL('diff.ts', import.meta.url), 'utf8')

    assert.doesNotMatch(source, /^import |import\(|process\.|Buffer/m)
  })

  it('lists added, removed and changed fields with their paths', () => {
    const before = { name: 'Saver', brand: 'A', is_tailored: false, fees: [fee('Keeping')] }
    const after = { name: 'Saver', is_tailored: true, fees: [fee('Keeping', '2.00')], bundles: [] }

    assert.deepEqual(diffProducts(before, after), [
      { kind: 'removed', path: 'brand', before: 'A' },
      { kind: 'changed', path: 'is_tailored', before: false, after: true },
      { kind: 'changed', path: 'fees[0].fixed_amount.amount', before: '1.00', after: '2.00' },
      { kind: 'added', path: 'bundles', after: [] },
    ])
  })

  it('ignores the order of fields and what the server assigns', () => {
    const before = { product_id: '1', last_updated: 'then', name: 'A', fees: [fee('Keeping')] }
    const after = {
      fees: [{ fixed_amount: { amount: '1.00' }, name: 'Keeping' }],
      name: 'A',
      product_id: '2',
      last_updated: 'now',
    }

    assert.deepEqual(diffProducts(before, after), [])
  })

  for (const [name, before, after, expected] of [
    ['added at the start', 'bc', 'abc', ['added [0]']],
    ['added in the middle', 'ac', 'abc', ['added [1]']],
    ['added at the end', 'ab', 'abc', ['added [2]']],
    ['removed from the start', 'abc', 'bc', ['removed [0]']],
    ['removed from repeated elements', 'aaa', 'aa', ['removed [2]']],
    ['added to none', '', 'a', ['added [0]']],
    ['changed', 'abc', 'axc', ['changed [1].name']],
    ['changed and added', 'abd', 'axyd', ['changed [1].name', 'added [2]']],
  ] as const) {
    it(`reports an element ${name} alone`, () => {
      const fees = (names: string) => ({ fees: [...names].map((each) => fee(each)) })

      const changes = diffProducts(fees(before), fees(after))

      assert.deepEqual(
        changes.map(({ kind, path }) => `${kind} ${path.replace('fees', '')}`),
        expected,
      )
    })
  }

  it('reports a value of another type as changed', () => {
    assert.deepEqual(diffProducts({ a: [1], b: { c: 1 } }, { a: { 0: 1 }, b: [] }), [
      { kind: 'changed', path: 'a', before: [1], after: { 0: 1 } },
      { kind: 'changed', path: 'b', before: { c: 1 }, after: [] },
    ])
  })

  it('handles names of Object.prototype like any other', () => {
    const before = JSON.parse('{"a":{"__proto__":{"x":1}}}')
    const after = JSON.parse('{"a":{"__proto__":{"x":2},"constructor":1},"toString":1}')

    assert.deepEqual(
      diffProducts(before, after).map(({ kind, path }) => [kind, path]),
      [
        ['changed', 'a.__proto__.x'],
        ['added', 'a.constructor'],
        ['added', 'toString'],
      ],
    )
  })
})
