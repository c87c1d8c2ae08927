import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mergeChanges } from '../../src/console/pages/catalogue/edit/merge.ts'

const base = { name: 'A', brand: 'B', fees: [{ name: 'x' }, { name: 'y' }], links: { a: '1' } }

describe('two changes of a product', () => {
  for (const [name, mine, theirs, merged] of [
    [
      'keep both fields',
      { ...base, name: 'M' },
      { ...base, brand: 'T' },
      { name: 'M', brand: 'T' },
    ],
    [
      'keep mine where both changed a field',
      { ...base, name: 'M' },
      { ...base, name: 'T' },
      { name: 'M' },
    ],
    [
      'keep both elements of a list',
      { ...base, fees: [{ name: 'M' }, { name: 'y' }] },
      { ...base, fees: [{ name: 'x' }, { name: 'T' }] },
      { fees: [{ name: 'M' }, { name: 'T' }] },
    ],
    [
      'keep an element that they added and one that I changed',
      { ...base, fees: [{ name: 'M' }, { name: 'y' }] },
      { ...base, fees: [...base.fees, { name: 'T' }] },
      { fees: [{ name: 'M' }, { name: 'y' }, { name: 'T' }] },
    ],
    [
      'keep what I added at the start and what they removed at the end',
      { ...base, fees: [{ name: 'M' }, ...base.fees] },
      { ...base, fees: [{ name: 'x' }] },
      { fees: [{ name: 'M' }, { name: 'x' }] },
    ],
    [
      'keep my list where both changed the same element and one added another',
      { ...base, fees: [{ name: 'M' }, { name: 'y' }] },
      { ...base, fees: [{ name: 'T' }, { name: 'y' }, { name: 'z' }] },
      { fees: [{ name: 'M' }, { name: 'y' }] },
    ],
    [
      'keep a field that one added in a record that the other changed',
      { ...base, links: { a: '1', b: '2' } },
      { ...base, links: { a: 'T' } },
      { links: { a: 'T', b: '2' } },
    ],
    ['keep a field removed', { ...base, links: undefined }, base, { links: undefined }],
    ['keep what they removed', base, { ...base, links: undefined }, { links: undefined }],
  ] as const) {
    it(name, () => {
      const clean = (value: object) => JSON.parse(JSON.stringify(value))

      assert.deepEqual(
        mergeChanges(clean(base), clean(mine), clean(theirs)),
        clean({ ...base, ...merged }),
      )
    })
  }
})
