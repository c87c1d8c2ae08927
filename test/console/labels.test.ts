import assert from 'node:assert/strict'
import { it } from 'node:test'
import { formatDuration, formatPercent, toLabel } from '../../src/console/labels.ts'

it('names of fields and values are readable', () => {
  for (const [name, label] of [
    ['effective_from', 'Effective from'],
    ['fee_method_u_type', 'Fee method'],
    ['additional_info_uri', 'Additional information link'],
    ['PERS_LOANS', 'Personal loans'],
    ['CRED_AND_CHRG_CARDS', 'Credit and charge cards'],
    ['fixedAmount', 'Fixed amount'],
    ['MAX_LVR', 'Maximum loan-to-value ratio'],
    ['TRANS_AND_SAVINGS_ACCOUNTS', 'Transaction and savings accounts'],
    ['bsb', 'BSB'],
    ['address1Line', 'Address1 line'],
  ] as const) {
    assert.equal(toLabel(name), label)
  }
})

it('a rate is shown as an exact percentage', () => {
  for (const [rate, text] of [
    ['0.0425', '4.25 %'],
    ['0.5', '50 %'],
    ['0', '0 %'],
    ['1', '100 %'],
    ['-0.001', '−0.1 %'],
    ['0.12345678901234567890', '12.345678901234567890 %'.replace(/0 %$/, ' %')],
    ['12', '1200 %'],
    ['4,25', undefined],
    ['', undefined],
  ] as const) {
    assert.equal(formatPercent(rate), text)
  }
})

it('a duration is shown in words', () => {
  for (const [duration, text] of [
    ['P1M', '1 month'],
    ['P1Y6M', '1 year 6 months'],
    ['PT30M', '30 minutes'],
    ['P', undefined],
    ['monthly', undefined],
  ] as const) {
    assert.equal(formatDuration(duration), text)
  }
})
