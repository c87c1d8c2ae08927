import assert from 'node:assert/strict'
import { it } from 'node:test'
import { explainSentence, parseProblems } from '../../src/console/explain-problem.ts'
import { ProductInput } from '../../src/contract/index.ts'
import { formatProblem } from '../../src/contract/problems.ts'
import { scalars } from '../../src/contract/scalars.ts'
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

it('a sentence of the server names the label of each field, and what to do', () => {
  for (const [sentence, expected] of [
    [
      'body.email must be an e-mail address',
      ['E-mail address: Enter the whole e-mail address, such as ana@example.com.'],
    ],
    [
      'deposit_rates[0].application_frequency must be an ISO 8601 duration; brand is required',
      [
        'Deposit rate 1 › Application frequency: Enter a duration, such as 1 month: a whole number and its unit.',
        'Brand: Enter a value.',
      ],
    ],
    [
      'The provider responded with 400: query.min-amount must be a decimal string',
      ['Lowest amount: Enter a number, such as 12.50.'],
    ],
    [
      'page-size must be a whole number from 1 to 1000',
      ['Page size: Enter a whole number from 1 to 1000.'],
    ],
    ['oldest-time must be an RFC 3339 date-time', ['From: Enter a day and a time.']],
    ['text must be a string of 1 to 200 characters', ['Text: Enter 1 to 200 characters.']],
    ['status must be one of OPEN, NOT_OPEN', ['Status: Choose one of: Open, Not open.']],
    ['Service unavailable', undefined],
    ['the product must be at most 262144 bytes of JSON', undefined],
    ['', undefined],
  ] as const) {
    assert.deepEqual(explainSentence(sentence), expected)
  }
})

it('the formats that a field can have are explained without the names of standards', () => {
  for (const [name, { mustBe }] of Object.entries(scalars)) {
    const [text = ''] = explainSentence(`field must be ${mustBe}`) ?? []
    assert.match(text, /^Field: Enter [^(]+\.$/, name)
    assert.doesNotMatch(text, /RFC|ISO|UUID|string|URI/, name)
  }
})
