import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { explain } from '../../src/console/pages/catalogue/edit/explain.ts'
import { findGaps } from '../../src/console/pages/catalogue/find-gaps.ts'
import { describePath } from '../../src/contract/labels.ts'
import { findProblems } from '../../src/contract/problems.ts'
import { ProductInput } from '../../src/contract/records/product.ts'

const valid = {
  name: 'Saver',
  brand: 'Bank',
  description: '',
  is_tailored: false,
  product_category: 'TERM_DEPOSITS',
}

function explainAll(product: object): string[] {
  return findProblems(ProductInput, product).map(
    (problem) => `${describePath(problem.path)}: ${explain(product, problem)}`,
  )
}

describe('the problems of a product in the editor', () => {
  it('name the label of the field and what to do', () => {
    const { brand: _, product_category: __, ...rest } = valid
    const rate = { deposit_rate_type: 'FIXED', rate: '4,25', application_frequency: 'PmonthlyM' }
    const times = {
      effective_from: '2027-01-01T00:00:00Z',
      effective_to: '2026-01-01T00:00:00Z',
    }
    assert.deepEqual(explainAll({ ...valid, ...times }), [
      'Effective to: It must not be before effective from.',
    ])
    assert.deepEqual(explainAll({ ...rest, application_uri: 'www', deposit_rates: [rate] }), [
      'Brand: Enter a value.',
      'Product category: Select a value.',
      'Application link: Enter a link that starts with https:// or http://.',
      'Deposit rate 1 › Rate: Enter a percentage, such as 4.50.',
      'Deposit rate 1 › Application frequency: Enter a duration, such as 1 month: a whole number and its unit.',
    ])
  })

  it('say which other field requires a value, in words', () => {
    const fees = [{ fee_method_u_type: 'fixedAmount' }]
    const [text = ''] = explainAll({ ...valid, fees })
    assert.match(text, /^Fee 1 › Fixed amount: It is required when fee method /)
    assert.doesNotMatch(text, /_/)
  })

  it('are explained for a field that the contract does not have', () => {
    const problem = { path: 'constructor.prototype', reason: 'is not a field of this record' }
    assert.equal(explain(valid, problem), 'It is not a field of this record.')
  })
})

describe('the gaps of a product', () => {
  it('are what the public catalogue requires, by field', () => {
    const rate = { deposit_rate_type: 'FIXED', rate: '0.045' }
    const product = { ...valid, deposit_rates: [rate] }
    const gaps = findGaps(product).map(
      (gap) => `${describePath(gap.path)}: ${explain(product, gap)}`,
    )
    assert.ok(
      gaps.includes('Deposit rate 1 › Application type: It is required for publication.'),
      gaps.join('\n'),
    )
    assert.deepEqual(findGaps({}).length > 0, true)
  })
})
