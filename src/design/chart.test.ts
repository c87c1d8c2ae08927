import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeChart } from './chart.ts'

function place(values: readonly number[], precision?: number, unit?: string) {
  return placeChart(
    {
      kind: 'bars',
      positions: [...values.keys()],
      formatPosition: String,
      format: (value) => value.toLocaleString('en'),
      series: [{ values }],
      unit,
      ...(precision !== undefined && { precision }),
    },
    480,
  )
}

const listLines = (values: readonly number[], precision?: number) =>
  place(values, precision).grid.map(({ text }) => text)

test('the axis ends close to the highest value', () => {
  assert.deepEqual(listLines([10_200]), ['0', '6,000', '12,000'])
  assert.deepEqual(listLines([22_000]), ['0', '8,000', '16,000', '24,000'])
  assert.deepEqual(listLines([0.2]), ['0', '0.1', '0.2'])
  for (const highest of [1, 3, 7, 11, 13, 17, 23, 29, 37, 53, 61, 79, 97, 0.033, 4711]) {
    const { top, bottom, series } = place([highest])
    const height = series[0]?.bars[0]?.height ?? 0
    assert.ok(height / (bottom - top) >= 0.65, `${highest}`)
  }
})

test('the axis has no values between those that its texts show', () => {
  assert.deepEqual(listLines([1], 1), ['0', '1'])
  assert.deepEqual(listLines([3], 1), ['0', '1', '2', '3'])
  assert.deepEqual(listLines([], 1), ['0', '1'])
  assert.deepEqual(listLines([0.21], 0.1), ['0', '0.1', '0.2', '0.3'])
})

test('the axis reaches below zero', () => {
  assert.deepEqual(listLines([-3, 8]), ['-4', '0', '4', '8'])
})

test('the labels have the space that they need, and so has the unit', () => {
  const few = place([9])
  const many = place([9_000_000])
  assert.ok(many.left > few.left)
  assert.ok(place([9], undefined, 'AUD').top > few.top)
})
