import Type, { type Static } from 'typebox'
import { oneOf, values } from '../enumerations.ts'
import { record } from '../record.ts'
import { type Rule, union } from '../rules.ts'
import {
  Count,
  DateOrDateTime,
  DigitsNumber,
  Duration,
  Flag,
  Id,
  Money,
  Text,
  Timestamp,
} from '../scalars.ts'

const payeeAccountTypes = ['account', 'card', 'payId'] as const

export const DomesticPayee = record(
  'DomesticPayee',
  { payeeAccountUType: oneOf(payeeAccountTypes) },
  {
    account: record(
      'PayeeAccount',
      { bsb: DigitsNumber, accountNumber: DigitsNumber },
      {
        accountName: Text,
      },
    ),
    card: record('PayeeCard', { cardNumber: Text }),
    payId: record(
      'PayeePayId',
      { identifier: Text, type: oneOf(values.payIdType) },
      {
        name: Text,
      },
    ),
  },
  { rules: union('payeeAccountUType', payeeAccountTypes) },
)

export const BillerPayee = record(
  'BillerPayee',
  { billerCode: Text },
  {
    crn: Text,
    billerName: Text,
  },
)

export const DigitalWalletPayee = record(
  'DigitalWalletPayee',
  {
    identifier: Text,
    type: oneOf(values.digitalWalletType),
    provider: oneOf(values.digitalWalletProvider),
  },
  { name: Text },
)

export const InternationalPayee = record('InternationalPayee', {
  beneficiaryDetails: record('Beneficiary', { country: Text }, { name: Text, message: Text }),
  bankDetails: record(
    'BeneficiaryBank',
    { country: Text, accountNumber: Text },
    {
      bankAddress: record('BankAddress', { name: Text, address: Text }),
      beneficiaryBankBIC: Text,
      fedWireNumber: Text,
      sortCode: Text,
      chipNumber: Text,
      routingNumber: Text,
      legalEntityIdentifier: Text,
    },
  ),
})

/** `accountId`, `payeeID` and `domestic` may be combined, for full payee details. */
const targetRules: readonly Rule[] = [
  { when: { field: 'toUType', is: ['accountId'] }, needs: ['accountId'] },
  { when: { field: 'toUType', is: ['payeeId'] }, needs: ['payeeID'] },
  { when: { field: 'toUType', is: ['domestic'] }, needs: ['domestic'] },
  ...union('toUType', ['biller', 'digitalWallet', 'international']),
]

export const PaymentTarget = record(
  'PaymentTarget',
  {
    toUType: oneOf([
      'accountId',
      'biller',
      'digitalWallet',
      'domestic',
      'international',
      'payeeId',
    ]),
  },
  {
    accountId: Id,
    payeeID: Id,
    nickname: Text,
    payeeReference: Text,
    domestic: DomesticPayee,
    biller: BillerPayee,
    digitalWallet: DigitalWalletPayee,
    international: InternationalPayee,
  },
  { rules: targetRules, aliases: { payeeId: 'payeeID' } },
)

const scheduleEnd = {
  finalPaymentDate: DateOrDateTime,
  paymentsRemaining: Count,
  nonBusinessDayTreatment: oneOf(values.nonBusinessDayTreatment),
}

export const IntervalSchedule = record(
  'IntervalSchedule',
  {
    intervals: Type.Array(record('Interval', { interval: Duration }, { dayInInterval: Duration }), {
      minItems: 1,
    }),
  },
  scheduleEnd,
)

const recurrenceTypes = ['eventBased', 'intervalSchedule', 'lastWeekDay', 'onceOff'] as const

export const Recurrence = record(
  'Recurrence',
  { reccurenceUType: oneOf(recurrenceTypes) },
  {
    nextPaymentDate: Timestamp,
    intervalSchedule: IntervalSchedule,
    lastWeekDay: record(
      'LastWeekDaySchedule',
      { interval: Duration, lastWeekDay: oneOf(values.lastWeekDay) },
      scheduleEnd,
    ),
    onceOff: record(
      'OnceOffSchedule',
      { paymentDate: DateOrDateTime },
      {
        nonBusinessDayTreatment: scheduleEnd.nonBusinessDayTreatment,
      },
    ),
    eventBased: record('EventBasedSchedule', { description: Text }),
  },
  {
    description: 'When the payment is made. `reccurenceUType` is the spelling of the interface.',
    rules: union('reccurenceUType', recurrenceTypes),
    aliases: { recurrenceUType: 'reccurenceUType' },
  },
)

export const PaymentSet = record(
  'PaymentSet',
  { to: PaymentTarget },
  { isAmountCalculated: Flag, amount: Money },
)

export type ScheduledPayment = Static<typeof ScheduledPayment>
export const ScheduledPayment = record(
  'ScheduledPayment',
  { scheduledPaymentId: Id, from: record('PaymentSource', { accountId: Id }) },
  {
    nickname: Text,
    payerReference: Text,
    payeeReference: Text,
    status: oneOf(values.scheduledPaymentStatus),
    paymentSet: PaymentSet,
    recurrence: Recurrence,
  },
  { description: 'An outgoing payment scheduled by the customer.' },
)

export const AuthorisedEntity = record(
  'AuthorisedEntity',
  {},
  {
    description: Text,
    financialInstitution: Text,
    abn: DigitsNumber,
    acn: DigitsNumber,
  },
)

export type DirectDebit = Static<typeof DirectDebit>
export const DirectDebit = record(
  'DirectDebit',
  { accountId: Id },
  { authorisedEntity: AuthorisedEntity, lastDebitDateTime: Timestamp, lastDebitAmount: Money },
  { description: 'A direct-debit authorisation on an account.' },
)
