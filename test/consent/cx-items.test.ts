import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { it } from 'node:test'

/**
 * What the Consumer Data Right requires of the pages of a data holder: the number of the item in the CX checklist, the name
 * of the CX standard, the rule, or the guideline of WCAG. The name of a test begins with what it tests.
 */
const applicable = [
  // Sign-in
  '2AU.00.02',
  '2AU.00.22',
  '2AU.00.27',
  '2AU.00.31',
  '2AU.01.07',
  '2AU.03.05',
  '2AU.03.08',
  // Consent
  '3AU.00.01',
  '3AU.00.02',
  '3AU.02.03',
  '3AU.02.04',
  '3AU.02.17',
  '3AU1.02.28',
  'rule 4.23',
  'Account selection',
  'Unavailable accounts',
  'Contextual alert',
  'Data language',
  'Detailed scope requests',
  'rule 8.11(1)(d)',
  // Amendment
  'rule 4.22A',
  '3AU1.01.13',
  '3AU1.02.15',
  // Dashboard
  '5CM1.00.30',
  '5CM1.02.07',
  '5CM1.02.09',
  '5CM1.04.01',
  '5CM1.04.05 (a)–(e)',
  '5CM1.04.05 (f)',
  '5CM1.04.05 (h)',
  '5CM1.04.19',
  '4CM1.01.27',
  'rule 7.9',
  'rule 9.5',
  'Data recipient handling details',
  // Withdrawal
  '5CM2.00.01',
  '5CM2.00.02',
  '5CM2.00.03',
  '5CM2.00.04',
  '5CM2.00.05',
  '5CM2.00.07',
  '5CM2.00.09',
  // Accessibility
  'WCAG 1.4',
  'WCAG 2.1',
  'WCAG 2.5',
  'WCAG 3.1',
  'WCAG 3.3',
]

/** Items that no page can meet, with the reason. */
const notApplicable = {
  '2AU.01.21':
    'the data provider registers and verifies the e-mail addresses; customers of a shared one have passcodes of their own (2AU.01.07)',
  '5CM2.00.06': 'no published text of this number was found',
  '5CM2.00.08': 'no published text of this number was found',
  '5CM1.04.05 (g)': 'the platform discloses no corrected data at the request of a customer',
  '3AU2.03.20': 'the interface has no approvals of other owners, so no account is pending',
  'rule 4A.15': 'the interface does not say whose joint accounts are treated as individual ones',
  'Add or switch profiles': 'the pages are not in an app of the data holder',
}

const files = [
  'src/platform/consent/*.test.ts',
  'test/consent/*.test.ts',
  'test/demo/demo.browser.ts',
]
const item = /^(\d[A-Z]{2}\d?\.|rule \d|WCAG \d|[A-Z][a-z]+ [a-z ]+$)/

/** What stands before the colon in the names of tests, if it is an item. */
const tested = new Set(
  files
    .flatMap((pattern) => globSync(pattern))
    .map((path) => readFileSync(path, 'utf8'))
    .flatMap((text) => [...text.matchAll(/\bit\(\s*(['`])([^'`\n]+?): /g)])
    .flatMap(([, , items = '']) => items.split(', '))
    .filter((each) => item.test(each)),
)

it('every item of the CX standards that applies to the pages has a test', () => {
  assert.deepEqual([...tested].sort(), [...applicable].sort())
})

it('an item that does not apply has no test', () => {
  for (const name of Object.keys(notApplicable)) {
    assert.ok(!tested.has(name), name)
    assert.ok(!applicable.includes(name), name)
  }
})
