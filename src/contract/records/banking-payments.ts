import type { Static } from 'typebox'
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
import { Type } from '../type.ts'

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
      { description: 'The bank account of a payee.' },
    ),
    card: record('PayeeCard', { cardNumber: Text }, {}, { description: 'The card of a payee.' }),
    payId: record(
      'PayeePayId',
      { identifier: Text, type: oneOf(values.payIdType) },
      {
        name: Text,
      },
      { description: 'The PayID of a payee.' },
    ),
  },
  {
    description: 'A payee in Australia: an account, a card or a PayID.',
    rules: union('payeeAccountUType', payeeAccountTypes),
  },
)

export const BillerPayee = record(
  'BillerPayee',
  { billerCode: Text },
  {
    crn: Text,
    billerName: Text,
  },
  { description: 'A payee that is a BPAY biller.' },
)

export const DigitalWalletPayee = record(
  'DigitalWalletPayee',
  {
    identifier: Text,
    type: oneOf(values.digitalWalletType),
    provider: oneOf(values.digitalWalletProvider),
  },
  { name: Text },
  { description: 'A payee with a digital wallet.' },
)

export const InternationalPayee = record(
  'InternationalPayee',
  {
    beneficiaryDetails: record(
      'Beneficiary',
      { country: Text },
      { name: Text, message: Text },
      { description: 'The person or organisation that receives an international payment.' },
    ),
    bankDetails: record(
      'BeneficiaryBank',
      { country: Text, accountNumber: Text },
      {
        bankAddress: record(
          'BankAddress',
          { name: Text, address: Text },
          {},
          { description: 'The name and the address of a bank.' },
        ),
        beneficiaryBankBIC: Text,
        fedWireNumber: Text,
        sortCode: Text,
        chipNumber: Text,
        routingNumber: Text,
        legalEntityIdentifier: Text,
      },
      { description: 'The bank account that receives an international payment.' },
    ),
  },
  {},
  { description: 'A payee in another country.' },
)

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
  {
    description:
      'The payee of a scheduled payment. `toUType` names the field that identifies the payee.',
    rules: targetRules,
    aliases: { payeeId: 'payeeID' },
  },
)

const scheduleEnd = {
  finalPaymentDate: DateOrDateTime,
  paymentsRemaining: Count,
  nonBusinessDayTreatment: oneOf(values.nonBusinessDayTreatment),
}

export const IntervalSchedule = record(
  'IntervalSchedule',
  {
    intervals: Type.Array(
      record(
        'Interval',
        { interval: Duration },
        { dayInInterval: Duration },
        { description: 'The length of an interval, and the day in it on which a payment is made.' },
      ),
      {
        minItems: 1,
      },
    ),
  },
  scheduleEnd,
  { description: 'A schedule of payments at regular intervals.' },
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
      { description: 'A schedule of payments on the last given weekday of each interval.' },
    ),
    onceOff: record(
      'OnceOffSchedule',
      { paymentDate: DateOrDateTime },
      {
        nonBusinessDayTreatment: scheduleEnd.nonBusinessDayTreatment,
      },
      { description: 'A schedule of a single payment.' },
    ),
    eventBased: record(
      'EventBasedSchedule',
      { description: Text },
      {},
      { description: 'A schedule that depends on an event.' },
    ),
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
  { description: 'The payee and the amount of a scheduled payment.' },
)

export type ScheduledPayment = Static<typeof ScheduledPayment>
export const ScheduledPayment = record(
  'ScheduledPayment',
  {
    scheduledPaymentId: Id,
    from: record(
      'PaymentSource',
      { accountId: Id },
      {},
      { description: 'The account that a scheduled payment is made from.' },
    ),
  },
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
  { description: 'The organisation that may debit an account.' },
)

export type DirectDebit = Static<typeof DirectDebit>
export const DirectDebit = record(
  'DirectDebit',
  { accountId: Id },
  { authorisedEntity: AuthorisedEntity, lastDebitDateTime: Timestamp, lastDebitAmount: Money },
  { description: 'A direct-debit authorisation on an account.' },
)
