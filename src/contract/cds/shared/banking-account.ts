import { upgradeAccount } from '../../convert-account-version.ts'
import { values } from '../../enumerations.ts'
import type { BankingAccountV3 } from '../../records/banking-account.ts'
import { address } from './address.ts'
import { depositRate, feature, fee, lendingRate } from './banking-terms.ts'
import {
  amountIn,
  currencyField,
  date,
  digits,
  duration,
  enumeration,
  flag,
  hiddenNumber,
  id,
  maskedNumber,
  rate,
  requiredAmountIn,
  text,
} from './scalars.ts'
import { type Fields, list, member, object, optional, required, toText } from './shapes.ts'

/** A number that is not masked is masked, and without one that of the account is. */
function readNumber({ maskedNumber, accountNumber }: Fields): unknown {
  return maskedNumber ?? (accountNumber === undefined ? undefined : toText(accountNumber))
}

const account = {
  accountId: required(id('account')),
  creationDate: optional(date),
  displayName: required(text, {
    read: ({ displayName, nickname, productName }) => displayName ?? nickname ?? productName,
    otherwise: '',
  }),
  nickname: optional(text),
  openStatus: optional(enumeration(values.openStatus), { otherwise: 'OPEN' }),
  isOwned: optional(flag, { otherwise: true }),
  accountOwnership: required(enumeration(values.accountOwnership), { otherwise: 'UNKNOWN' }),
  maskedNumber: required(maskedNumber, { read: readNumber, otherwise: hiddenNumber }),
  productCategory: required(enumeration(values.productCategory)),
  productName: required(text, {
    read: ({ productName, displayName }) => productName ?? displayName,
    otherwise: '',
  }),
}

/** No instalment plans are served. */
const noInstalments = { read: () => false }

export const bankingAccount = object('BankingAccount', {
  ...account,
  isInstalmentDetailAvailable: optional(flag, { ...noInstalments, since: 3 }),
})

const creditCard = object('BankingCreditCardAccount', {
  minPaymentAmount: requiredAmountIn('minPaymentAmount', 'paymentCurrency'),
  paymentDueAmount: requiredAmountIn('paymentDueAmount', 'paymentCurrency'),
  paymentCurrency: currencyField,
  paymentDueDate: required(date),
})

const loan = object('BankingLoanAccount', {
  originalStartDate: optional(date),
  ...amountIn('originalLoanAmount', 'originalLoanCurrency'),
  loanEndDate: optional(date),
  nextInstalmentDate: optional(date),
  ...amountIn('minInstalmentAmount', 'minInstalmentCurrency'),
  ...amountIn('maxRedraw', 'maxRedrawCurrency'),
  ...amountIn('minRedraw', 'minRedrawCurrency'),
  offsetAccountEnabled: optional(flag),
  offsetAccountIds: optional(list(id('account'))),
  repaymentType: required(enumeration(values.repaymentType)),
  repaymentFrequency: optional(duration),
})

const termDeposit = object('BankingTermDepositAccount', {
  lodgementDate: required(date),
  maturityDate: required(date),
  ...amountIn('maturityAmount', 'maturityCurrency'),
  maturityInstructions: required(enumeration(values.maturityInstructions)),
})

const kinds = { creditCard, loan, termDeposit: list(termDeposit, 1) }
const kindField = 'specificAccountUType'

/** A number with so many digits may be that of a card, which must not be shared. */
const cardDigitsMin = 13

function readAccountNumber({ accountNumber }: Fields): unknown {
  return toText(accountNumber ?? '').length < cardDigitsMin ? accountNumber : undefined
}

export const bankingAccountDetail = object(
  'BankingAccountDetail',
  {
    ...account,
    isInstalmentDetailAvailable: optional(flag, { ...noInstalments, since: 5 }),
    bsb: optional(digits(6)),
    accountNumber: optional(digits(), { read: readAccountNumber }),
    bundleName: optional(text),
    specificAccountUType: optional(enumeration(Object.keys(kinds))),
    termDeposit: member(kindField, 'termDeposit', kinds.termDeposit),
    creditCard: member(kindField, 'creditCard', kinds.creditCard),
    loan: member(kindField, 'loan', kinds.loan),
    depositRate: optional(rate),
    lendingRate: optional(rate),
    depositRates: optional(list(depositRate)),
    lendingRates: optional(list(lendingRate)),
    features: optional(list(feature)),
    fees: optional(list(fee)),
    addresses: optional(list(address)),
  },
  // Without its part that depends on the kind, an account has no kind.
  (record, context) => {
    const upgraded: Fields = upgradeAccount(record as BankingAccountV3)
    const kind = Object.entries(kinds).find(([name]) => name === upgraded[kindField])
    if (!kind || kind[1].write(upgraded[kind[0]], context) !== undefined) return upgraded
    const { [kindField]: _, ...others } = upgraded
    return others
  },
)
