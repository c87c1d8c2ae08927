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

const DomesticPayee = record('DomesticPayee', {
  description: 'A payee in Australia: an account, a card or a PayID.',
  required: { payeeAccountUType: oneOf(payeeAccountTypes) },
  optional: {
    account: record('PayeeAccount', {
      description: 'The bank account of a payee.',
      required: { bsb: DigitsNumber, accountNumber: DigitsNumber },
      optional: { accountName: Text },
    }),
    card: record('PayeeCard', {
      description: 'The card of a payee.',
      required: { cardNumber: Text },
    }),
    payId: record('PayeePayId', {
      description: 'The PayID of a payee.',
      required: { identifier: Text, type: oneOf(values.payIdType) },
      optional: { name: Text },
    }),
  },
  rules: union('payeeAccountUType', payeeAccountTypes),
})

const BillerPayee = record('BillerPayee', {
  description: 'A payee that is a BPAY biller.',
  required: { billerCode: Text },
  optional: { crn: Text, billerName: Text },
})

const DigitalWalletPayee = record('DigitalWalletPayee', {
  description: 'A payee with a digital wallet.',
  required: {
    identifier: Text,
    type: oneOf(values.digitalWalletType),
    provider: oneOf(values.digitalWalletProvider),
  },
  optional: { name: Text },
})

const InternationalPayee = record('InternationalPayee', {
  description: 'A payee in another country.',
  required: {
    beneficiaryDetails: record('Beneficiary', {
      description: 'The person or organisation that receives an international payment.',
      required: { country: Text },
      optional: { name: Text, message: Text },
    }),
    bankDetails: record('BeneficiaryBank', {
      description: 'The bank account that receives an international payment.',
      required: { country: Text, accountNumber: Text },
      optional: {
        bankAddress: record('BankAddress', {
          description: 'The name and the address of a bank.',
          required: { name: Text, address: Text },
        }),
        beneficiaryBankBIC: Text,
        fedWireNumber: Text,
        sortCode: Text,
        chipNumber: Text,
        routingNumber: Text,
        legalEntityIdentifier: Text,
      },
    }),
  },
})

const accountTargets = { field: 'toUType', is: ['accountId', 'payeeId'] }

/**
 * `accountId`, `payeeID` and `domestic` may be combined, for full payee details. Whether a domestic payee, a biller, a
 * digital wallet or an international payee is registered with the provider, and so has a `payeeID`, is not known here.
 */
const targetRules: readonly Rule[] = [
  { when: accountTargets, needs: ['accountId'] },
  {
    when: accountTargets,
    needs: ['payeeID'],
    hint: 'for a transfer between own accounts it may be the accountId',
  },
  { when: { field: 'toUType', is: ['domestic'] }, needs: ['domestic'] },
  ...union('toUType', ['biller', 'digitalWallet', 'international']),
]

const PaymentTarget = record('PaymentTarget', {
  description:
    'The payee of a scheduled payment. `toUType` names the field that identifies the payee. A payee that is registered with the provider has a `payeeID`.',
  required: {
    toUType: oneOf([
      'accountId',
      'biller',
      'digitalWallet',
      'domestic',
      'international',
      'payeeId',
    ]),
  },
  optional: {
    accountId: Id,
    payeeID: Id,
    nickname: Text,
    payeeReference: Text,
    domestic: DomesticPayee,
    biller: BillerPayee,
    digitalWallet: DigitalWalletPayee,
    international: InternationalPayee,
  },
  rules: targetRules,
  aliases: { payeeId: 'payeeID' },
})

const scheduleEnd = {
  finalPaymentDate: DateOrDateTime,
  paymentsRemaining: Count,
  nonBusinessDayTreatment: oneOf(values.nonBusinessDayTreatment),
}

const IntervalSchedule = record('IntervalSchedule', {
  description: 'A schedule of payments at regular intervals.',
  required: {
    intervals: Type.Array(
      record('Interval', {
        description: 'The length of an interval, and the day in it on which a payment is made.',
        required: { interval: Duration },
        optional: { dayInInterval: Duration },
      }),
      {
        minItems: 1,
      },
    ),
  },
  optional: scheduleEnd,
})

const recurrenceTypes = ['eventBased', 'intervalSchedule', 'lastWeekDay', 'onceOff'] as const

export const Recurrence = record('Recurrence', {
  description: 'When the payment is made. `reccurenceUType` is the spelling of the interface.',
  required: { reccurenceUType: oneOf(recurrenceTypes) },
  optional: {
    nextPaymentDate: Timestamp,
    intervalSchedule: IntervalSchedule,
    lastWeekDay: record('LastWeekDaySchedule', {
      description: 'A schedule of payments on the last given weekday of each interval.',
      required: { interval: Duration, lastWeekDay: oneOf(values.lastWeekDay) },
      optional: scheduleEnd,
    }),
    onceOff: record('OnceOffSchedule', {
      description: 'A schedule of a single payment.',
      required: { paymentDate: DateOrDateTime },
      optional: { nonBusinessDayTreatment: scheduleEnd.nonBusinessDayTreatment },
    }),
    eventBased: record('EventBasedSchedule', {
      description: 'A schedule that depends on an event.',
      required: { description: Text },
    }),
  },
  rules: union('reccurenceUType', recurrenceTypes),
  aliases: { recurrenceUType: 'reccurenceUType' },
})

export const PaymentSet = record('PaymentSet', {
  description: 'The payee and the amount of a scheduled payment.',
  required: { to: PaymentTarget },
  optional: { isAmountCalculated: Flag, amount: Money },
})

export type ScheduledPayment = Static<typeof ScheduledPayment>
export const ScheduledPayment = record('ScheduledPayment', {
  description: 'An outgoing payment scheduled by the customer.',
  required: {
    scheduledPaymentId: Id,
    from: record('PaymentSource', {
      description: 'The account that a scheduled payment is made from.',
      required: { accountId: Id },
    }),
  },
  optional: {
    nickname: Text,
    payerReference: Text,
    payeeReference: Text,
    status: oneOf(values.scheduledPaymentStatus),
    paymentSet: PaymentSet,
    recurrence: Recurrence,
  },
})

const AuthorisedEntity = record('AuthorisedEntity', {
  description: 'The organisation that may debit an account.',
  optional: {
    description: Text,
    financialInstitution: Text,
    abn: DigitsNumber,
    acn: DigitsNumber,
  },
})

export type DirectDebit = Static<typeof DirectDebit>
export const DirectDebit = record('DirectDebit', {
  description: 'A direct-debit authorisation on an account.',
  required: { accountId: Id },
  optional: {
    authorisedEntity: AuthorisedEntity,
    lastDebitDateTime: Timestamp,
    lastDebitAmount: Money,
  },
})
