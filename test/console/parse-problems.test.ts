import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseProblems } from '../../src/console/pages/catalogue/edit/parse-problems.ts'
import { ProductInput } from '../../src/contract/index.ts'
import { formatProblem } from '../../src/contract/problems.ts'
import { validator } from '../../src/contract/validate.ts'

it('the problems in the text of a response are placed at their fields', () => {
  const invalid = {
    is_tailored: 1,
    fees: [{ name: 4, fee_method_u_type: 'variable' }],
    card_art: [{ card_type: 'NONE' }],
    surprise: 1,
  }
  const problems = validator(ProductInput).problems(invalid)

  assert.equal(problems.length, 9)
  assert.deepEqual(parseProblems(problems.map(formatProblem).join('; ')), problems)
})

it('a sentence without a field is a problem of the product', () => {
  const sentence = 'the product must be at most 262144 bytes of JSON'

  assert.deepEqual(parseProblems(sentence), [{ path: '', reason: sentence }])
})
