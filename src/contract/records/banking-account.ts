import type { Static } from 'typebox'
import { explanationRules } from '../additional-values.ts'
import { oneOf, values, valuesV3 } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { optionalUnion, type Rule } from '../rules.ts'
import {
  Decimal,
  DigitsNumber,
  Duration,
  Email,
  Flag,
  Id,
  Money,
  PlainDate,
  Text,
  Timestamp,
} from '../scalars.ts'
import { Type } from '../type.ts'
import { AccountAddress } from './address.ts'
import { Fee, FeeV3 } from './banking-fees.ts'
import {
  DepositRate,
  DepositRateV3,
  explanation,
  LendingRate,
  LendingRateV3,
  repaymentTypeV3,
} from './banking-rates.ts'

/** The types of an account that one natural person holds. */
const individualAccountTypes = ['INDIVIDUAL', 'SOLE_TRADER']

const BankingUser = record('BankingUser', {
  description: 'A joint holder, secondary user or nominated representative.',
  required: { id: Decimal },
  optional: { email: Email, isAccountHolder: Flag },
})

/**
 * A shared account requires `users` (docs/decisions/0019-users-on-shared-accounts.md). An account is shared
 * if its ownership says so, or if its type is not that of an individual. The list of types is open, so
 * those of organisations cannot be listed. A load also checks the number of holders, which the record does not have.
 */
const sharedByOwnership: Rule = {
  when: { field: 'accountOwnership', is: ['TWO_PARTY', 'MANY_PARTY'] },
  needs: ['users'],
}
export const sharedByType: Rule = {
  when: { field: 'complexAccountType', not: individualAccountTypes, present: true },
  needs: ['users'],
}

export const Feature = record('Feature', {
  description: 'A feature of an account.',
  required: { featureType: oneOf(values.featureType) },
  optional: { ...explanation, isActivated: oneOf(values.isActivated) },
  rules: explanationRules('featureType', 'feature'),
})

const FeatureV3 = record('FeatureV3', {
  description: 'A feature of an account, version 3.',
  required: {
    featureType: described(oneOf(valuesV3.featureType), 'The kind of a feature, in version 3.'),
  },
  optional: { ...explanation, isActivated: Flag },
  rules: explanationRules('featureType', 'feature', valuesV3.featureType),
})

const TermDeposit = record('TermDeposit', {
  description: 'The term of a deposit and what happens at its end.',
  optional: {
    lodgementDate: PlainDate,
    maturityDate: PlainDate,
    maturityAmount: Money,
    maturityCurrency: Text,
    maturityInstructions: oneOf(values.maturityInstructions),
  },
})

const CreditCard = record('CreditCard', {
  description: 'The next payment of a credit card account.',
  optional: {
    minPaymentAmount: Money,
    paymentDueAmount: Money,
    paymentCurrency: Text,
    paymentDueDate: PlainDate,
  },
})

const loan = {
  originalStartDate: PlainDate,
  originalLoanAmount: Money,
  originalLoanCurrency: Text,
  loanEndDate: PlainDate,
  nextInstalmentDate: PlainDate,
  minInstalmentAmount: Money,
  minInstalmentCurrency: Text,
  maxRedraw: Money,
  maxRedrawCurrency: Text,
  minRedraw: Money,
  minRedrawCurrency: Text,
  offsetAccountEnabled: Flag,
  offsetAccountIds: Type.Array(Id),
  repaymentFrequency: Duration,
}

export const Loan = record('Loan', {
  description: 'The amounts, dates and repayments of a loan.',
  optional: { ...loan, repaymentType: oneOf(values.repaymentType) },
})
const LoanV3 = record('LoanV3', {
  description: 'The amounts, dates and repayments of a loan, version 3.',
  optional: { ...loan, repaymentType: repaymentTypeV3 },
})

const specificTypes = ['creditCard', 'loan', 'termDeposit'] as const

const account = {
  creationDate: Timestamp,
  displayName: Text,
  nickname: Text,
  openStatus: described(oneOf(values.openStatus), 'An account without this field is open.'),
  isOwned: described(Flag, 'Whether the requesting customer owns the account.'),
  accountOwnership: oneOf(values.accountOwnership),
  maskedNumber: Text,
  productCategory: oneOf(values.productCategory),
  productName: Text,
  complexAccountType: described(
    Text,
    'An open list. INDIVIDUAL and SOLE_TRADER are accounts of one person.',
  ),
  users: described(
    Type.Array(BankingUser),
    'All related users of a joint or organisation account.',
  ),
  bsb: DigitsNumber,
  accountNumber: DigitsNumber,
  bundleName: Text,
  depositRate: described(Decimal, 'The rate that the balance earns now.'),
  lendingRate: described(Decimal, 'The rate that the customer pays on the balance now.'),
}

const specifics = {
  specificAccountUType: oneOf(specificTypes),
  creditCard: CreditCard,
  termDeposit: Type.Array(TermDeposit),
}

const rules = [
  sharedByOwnership,
  sharedByType,
  ...optionalUnion('specificAccountUType', specificTypes),
]

export type BankingAccount = Static<typeof BankingAccount>
export const BankingAccount = record('BankingAccount', {
  description: 'A bank account with its rates, features and fees, version 4.',
  required: { accountId: Id },
  optional: {
    ...account,
    depositRates: Type.Array(DepositRate),
    lendingRates: described(
      Type.Union([LendingRate, Type.Array(LendingRate)]),
      'One lending rate or a list. Served as loaded.',
    ),
    features: Type.Array(Feature),
    fees: Type.Array(Fee),
    addresses: Type.Array(AccountAddress),
    ...specifics,
    loan: Loan,
  },
  rules,
})

export type BankingAccountV3 = Static<typeof BankingAccountV3>
export const BankingAccountV3 = record('BankingAccountV3', {
  description: 'A bank account in version 3, for a platform that does not support version 4 yet.',
  required: { accountId: Id },
  optional: {
    ...account,
    depositRates: Type.Array(DepositRateV3),
    lendingRates: described(
      Type.Union([LendingRateV3, Type.Array(LendingRateV3)]),
      'One lending rate or a list. Served as loaded.',
    ),
    features: Type.Array(FeatureV3),
    fees: Type.Array(FeeV3),
    addresses: Type.Array(AccountAddress),
    ...specifics,
    loan: LoanV3,
  },
  rules,
})
