import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describePath, toLabel } from './labels.ts'

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

it('paths are readable', () => {
  for (const [path, label] of [
    ['name', 'Name'],
    ['fees[0].fixed_amount.amount', 'Fee 1 › Fixed amount › Amount'],
    ['deposit_rates.rate', 'Deposit rates › Rate'],
  ] as const) {
    assert.equal(describePath(path), label)
  }
})
