import { problemsMax } from '../limits.ts'
import type { RecordType } from '../records/index.ts'
import type { Problem } from '../rules.ts'
import {
  amount,
  anything,
  type Check,
  country,
  currency,
  list,
  maskedNumber,
  object,
} from './record-rules.ts'

/**
 * Why the standards do not allow a valid record of the interface, by field, at most `max` reasons. Fields that have a
 * default (docs/decisions/0050-data-for-third-parties.md) are not required, and formats that can be converted are allowed.
 */
export function findRecordFaults(
  type: RecordType,
  record: unknown,
  max = problemsMax,
): readonly Problem[] {
  const check = checks[type]
  if (!check) return noFaults
  let faults: Problem[] | undefined
  check(record, '', (path, reason) => {
    faults ??= []
    if (faults.length < max) faults.push({ path, reason })
  })
  return faults ?? noFaults
}

const noFaults: readonly Problem[] = []

const account = object({
  required: { maskedNumber, productCategory: anything },
  optional: {
    creditCard: object({
      required: { minPaymentAmount: amount, paymentDueAmount: amount, paymentDueDate: anything },
      optional: { paymentCurrency: currency },
    }),
    loan: object({
      required: { repaymentType: anything },
      optional: {
        originalLoanAmount: amount,
        originalLoanCurrency: currency,
        minInstalmentAmount: amount,
        minInstalmentCurrency: currency,
        maxRedraw: amount,
        maxRedrawCurrency: currency,
        minRedraw: amount,
        minRedrawCurrency: currency,
      },
    }),
    termDeposit: list(
      object({
        required: {
          lodgementDate: anything,
          maturityDate: anything,
          maturityInstructions: anything,
        },
        optional: { maturityAmount: amount, maturityCurrency: currency },
      }),
    ),
    fees: list(
      object({
        required: { name: anything, feeType: anything, feeMethodUType: anything },
        optional: { currency, feeCap: amount },
      }),
    ),
  },
})

const balance = object({
  required: { currentBalance: amount, availableBalance: amount },
  optional: { currency },
})

const transaction = object({
  required: { amount },
  conditional: [
    {
      field: 'postingDateTime',
      when: 'when status is POSTED',
      isMet: ({ status }) => status === 'POSTED',
    },
  ],
})

const payeeDetails = ['domestic', 'biller', 'digitalWallet', 'international']

const payee = object({
  conditional: [
    {
      field: 'domestic',
      when: 'when toUType is payeeId, unless biller, digitalWallet or international is present',
      isMet: (fields) =>
        fields['toUType'] === 'payeeId' && !payeeDetails.some((name) => fields[name] !== undefined),
    },
  ],
  optional: {
    domestic: object({
      optional: { card: object({ required: { cardNumber: maskedNumber } }) },
    }),
    biller: object({ required: { billerName: anything } }),
    digitalWallet: object({ required: { name: anything } }),
    international: object({
      optional: {
        beneficiaryDetails: object({ optional: { country } }),
        bankDetails: object({ optional: { country } }),
      },
    }),
  },
})

const payment = object({
  required: {
    status: anything,
    paymentSet: object({
      required: { to: payee },
      optional: { amount },
      conditional: [
        {
          field: 'amount',
          when: 'unless isAmountCalculated is true',
          isMet: ({ isAmountCalculated }) => isAmountCalculated !== true,
        },
      ],
    }),
    recurrence: anything,
  },
})

const directDebit = object({
  required: { authorisedEntity: anything },
  optional: { lastDebitAmount: amount },
})

/** An account without `openStatus` is open. */
const whenOpen = {
  when: 'unless openStatus is CLOSED',
  isMet: ({ openStatus }: Readonly<Record<string, unknown>>) => openStatus !== 'CLOSED',
}

const plan = object({
  required: { servicePointIds: anything },
  optional: {
    planOverview: object({ required: { startDate: anything } }),
    planDetail: object({
      required: { fuelType: anything },
      optional: {
        meteringCharges: list(
          object({
            required: { displayName: anything, minimumValue: amount },
            optional: { maximumValue: amount },
          }),
        ),
      },
    }),
    authorisedContacts: list(object({ required: { lastName: anything } })),
  },
})

const energyAccount = object({
  required: { plans: list(plan) },
  conditional: [{ field: 'creationDate', ...whenOpen }],
})

const fuelTotals = object({
  required: {
    totalUsageCharges: amount,
    totalGenerationCredits: amount,
    totalOnceOffCharges: amount,
    totalOnceOffDiscounts: amount,
  },
  optional: {
    totalGst: amount,
    otherCharges: list(object({ required: { amount, description: anything } })),
  },
})

const invoice = object({
  required: { balanceAtIssue: amount, servicePoints: anything, paymentStatus: anything },
  optional: {
    period: object({ required: { startDate: anything, endDate: anything } }),
    invoiceAmount: amount,
    gstAmount: amount,
    payOnTimeDiscount: object({
      required: { discountAmount: amount, date: anything },
      optional: { gstAmount: amount },
    }),
    electricity: fuelTotals,
    gas: fuelTotals,
    accountCharges: object({
      required: { totalCharges: amount, totalDiscounts: amount },
      optional: { totalGst: amount },
    }),
  },
})

const adjustments = list(object({ required: { amount, description: anything } }))
const described = { amount, description: anything }
const metered = { timeOfUseType: anything, startDate: anything, endDate: anything, amount }

const billing = object({
  optional: {
    gst: amount,
    usage: object({ required: { ...metered, usage: anything }, optional: { adjustments } }),
    demand: object({ required: { ...metered, rate: anything }, optional: { adjustments } }),
    onceOff: object({ required: described }),
    otherCharges: object({ required: described, optional: { adjustments } }),
    payment: object({ required: { amount, method: anything } }),
  },
})

/** The records of the interface that are shared as records of the standards. */
const checks: Partial<Readonly<Record<RecordType, Check>>> = {
  'banking.account': account,
  'banking.balance': balance,
  'banking.transaction': transaction,
  'banking.scheduledPayment': payment,
  'banking.directDebit': directDebit,
  'energy.account': energyAccount,
  'energy.invoice': invoice,
  'energy.billing': billing,
}
