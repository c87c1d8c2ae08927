import { values } from '../../enumerations.ts'
import { country } from './address.ts'
import {
  amount,
  anyText,
  currencyField,
  date,
  dateTime,
  digits,
  duration,
  enumeration,
  flag,
  id,
  maskedNumber,
  payableAmountIf,
  positiveInteger,
  text,
  union,
} from './scalars.ts'
import {
  type Fields,
  list,
  object,
  optional,
  required,
  toText,
  type WriteContext,
} from './shapes.ts'

const authorisedEntity = object('BankingAuthorisedEntity', {
  description: optional(text),
  financialInstitution: optional(text),
  abn: optional(digits(11)),
  acn: optional(digits(9)),
})

export const directDebit = object('BankingDirectDebit', {
  accountId: required(id('account')),
  authorisedEntity: required(authorisedEntity),
  lastDebitDateTime: optional(dateTime),
  lastDebitAmount: optional(amount),
})

const domesticPayee = object(
  'BankingDomesticPayee',
  union('payeeAccountUType', {
    account: object('BankingDomesticPayeeAccount', {
      accountName: optional(text),
      bsb: required(digits(6)),
      accountNumber: required(digits()),
    }),
    card: object('BankingDomesticPayeeCard', { cardNumber: required(maskedNumber) }),
    payId: object('BankingDomesticPayeePayId', {
      name: optional(text),
      identifier: required(text),
      type: required(enumeration(values.payIdType)),
    }),
  }),
)

const billerPayee = object('BankingBillerPayee', {
  billerCode: required(text),
  crn: optional(text),
  billerName: anyText,
})

const digitalWalletPayee = object('BankingDigitalWalletPayee', {
  name: anyText,
  identifier: required(text),
  type: required(enumeration(values.digitalWalletType)),
  provider: required(enumeration(values.digitalWalletProvider)),
})

const internationalPayee = object('BankingInternationalPayee', {
  beneficiaryDetails: required(
    object('BankingInternationalBeneficiary', {
      name: optional(text),
      country: required(country),
      message: optional(text),
    }),
  ),
  bankDetails: required(
    object('BankingInternationalBank', {
      country: required(country),
      accountNumber: required(text),
      bankAddress: optional(
        object('BankingInternationalBankAddress', {
          name: required(text),
          address: required(text),
        }),
      ),
      beneficiaryBankBIC: optional(text),
      fedWireNumber: optional(text),
      sortCode: optional(text),
      chipNumber: optional(text),
      routingNumber: optional(text),
      legalEntityIdentifier: optional(text),
    }),
  ),
})

const payees = {
  domestic: domesticPayee,
  biller: billerPayee,
  digitalWallet: digitalWalletPayee,
  international: internationalPayee,
}

/**
 * A third party has no other accounts than those that are shared, and no payees. Otherwise the full details of the payee
 * are written, if the provider has them.
 */
function selectPayee(record: Fields, context: WriteContext): Fields | undefined {
  const { toUType, accountId } = record
  if (toUType === 'accountId' && id('account').write(accountId, context) !== undefined)
    return record
  const names = ['accountId', 'payeeId'].includes(toText(toUType)) ? Object.keys(payees) : [toUType]
  const found = names.find((name) => record[toText(name)] !== undefined)
  return found === undefined ? undefined : { ...record, toUType: found }
}

const payee = object(
  'BankingScheduledPaymentTo',
  {
    ...union('toUType', { accountId: id('account'), ...payees }),
    nickname: optional(text),
    payeeReference: optional(text),
  },
  selectPayee,
)

const paymentSet = object('BankingScheduledPaymentSet', {
  to: required(payee),
  isAmountCalculated: optional(flag),
  amount: payableAmountIf(
    ({ isAmountCalculated }) => isAmountCalculated !== true,
    'amount',
    'currency',
  ),
  currency: currencyField,
})

const scheduleEnd = {
  finalPaymentDate: optional(date),
  paymentsRemaining: optional(positiveInteger),
  nonBusinessDayTreatment: optional(enumeration(values.nonBusinessDayTreatment)),
}

const recurrences = {
  onceOff: object('BankingScheduledPaymentOnceOff', { paymentDate: required(date) }),
  intervalSchedule: object('BankingScheduledPaymentIntervalSchedule', {
    ...scheduleEnd,
    intervals: required(
      list(
        object('BankingScheduledPaymentInterval', {
          interval: required(duration),
          dayInInterval: optional(duration),
        }),
        1,
      ),
    ),
  }),
  lastWeekDay: object('BankingScheduledPaymentLastWeekday', {
    ...scheduleEnd,
    interval: required(duration),
    lastWeekDay: required(enumeration(values.lastWeekDay)),
  }),
  eventBased: object('BankingScheduledPaymentEventBased', { description: required(text) }),
}

/** The interface spells the name of the field `reccurenceUType`. */
const recurrence = object(
  'BankingScheduledPaymentRecurrence',
  {
    nextPaymentDate: optional(date),
    ...union('recurrenceUType', recurrences),
  },
  ({ reccurenceUType, ...record }) => ({ recurrenceUType: reccurenceUType, ...record }),
)

export const scheduledPayment = object('BankingScheduledPayment', {
  scheduledPaymentId: required(id('payment'), {
    read: ({ from, scheduledPaymentId }) => [(from as Fields)?.['accountId'], scheduledPaymentId],
  }),
  nickname: optional(text),
  payerReference: anyText,
  payeeReference: anyText,
  status: required(enumeration(values.scheduledPaymentStatus)),
  from: required(object('BankingScheduledPaymentFrom', { accountId: required(id('account')) })),
  // The interface has one payment, the standards have a list.
  paymentSet: required(list(paymentSet, 1)),
  recurrence: required(recurrence),
})
