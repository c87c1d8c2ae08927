import type { Static } from 'typebox'
import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { union } from '../rules.ts'
import { Decimal, Flag, Id, LocalDateTime, Money, PlainDate, Text } from '../scalars.ts'
import { Type } from '../type.ts'

const InvoiceAccountCharges = record('InvoiceAccountCharges', {
  description: 'The totals of the charges and discounts of the account itself on an invoice.',
  optional: { totalCharges: Money, totalDiscounts: Money, totalGst: Money },
})

const InvoiceOtherCharge = record('InvoiceOtherCharge', {
  description: 'The total of charges of another kind on an invoice.',
  required: { amount: Money },
  optional: { type: oneOf(values.chargeType), description: Text },
})

const fuelTotals = {
  totalGst: Money,
  totalGenerationCredits: Money,
  totalOnceOffCharges: Money,
  totalOnceOffDiscounts: Money,
  totalUsageCharges: Money,
  otherCharges: Type.Array(InvoiceOtherCharge),
}

const InvoiceElectricity = record('InvoiceElectricity', {
  description: 'The totals of the electricity on an invoice.',
  optional: fuelTotals,
})
const InvoiceGas = record('InvoiceGas', {
  description: 'The totals of the gas on an invoice.',
  optional: fuelTotals,
})

export type EnergyInvoice = Static<typeof EnergyInvoice>
export const EnergyInvoice = record('EnergyInvoice', {
  description: 'An invoice of an energy account.',
  required: {
    accountId: Id,
    invoiceNumber: Id,
    issueDate: described(PlainDate, 'The date that `listEnergyInvoices` filters and orders by.'),
  },
  optional: {
    dueDate: PlainDate,
    period: record('InvoicePeriod', {
      description: 'The period that an invoice covers.',
      optional: { startDate: PlainDate, endDate: PlainDate },
    }),
    invoiceAmount: Money,
    gstAmount: Money,
    payOnTimeDiscount: record('PayOnTimeDiscount', {
      description: 'A discount for payment by a date.',
      optional: {
        gstAmount: Money,
        discountAmount: Money,
        date: PlainDate,
      },
    }),
    balanceAtIssue: Money,
    servicePoints: Type.Array(Text),
    electricity: InvoiceElectricity,
    gas: InvoiceGas,
    accountCharges: InvoiceAccountCharges,
    paymentStatus: oneOf(values.paymentStatus),
  },
})

const charge = { servicePointId: Text, invoiceNumber: Text, description: Text }
const period = { isEstimate: Flag, startDate: PlainDate, endDate: PlainDate }
const corrections = {
  calculationFactors: Type.Array(
    record('CalculationFactor', {
      description: 'A factor in the calculation of a charge.',
      required: { type: oneOf(values.calculationFactorType), value: Decimal },
    }),
  ),
  adjustments: Type.Array(
    record('Adjustment', {
      description: 'An adjustment of a charge.',
      required: { amount: Money },
      optional: { description: Text },
    }),
  ),
}
const metered = { measureUnit: oneOf(values.measureUnit), ...corrections }

const BillingUsage = record('BillingUsage', {
  description: 'A charge for energy used, or a credit for energy generated.',
  required: { amount: Money },
  optional: {
    ...charge,
    ...period,
    ...metered,
    usage: described(Decimal, 'The quantity used.'),
    timeOfUseType: oneOf(values.usageTimeType),
  },
})

const BillingDemand = record('BillingDemand', {
  description: 'A charge for demand.',
  required: { amount: Money },
  optional: {
    ...charge,
    ...period,
    ...metered,
    rate: Decimal,
    timeOfUseType: oneOf(values.demandTimeType),
  },
})

const BillingOnceOff = record('BillingOnceOff', {
  description: 'A charge or credit that occurs once.',
  required: { amount: Money },
  optional: charge,
})

const BillingOtherCharges = record('BillingOtherCharges', {
  description: 'A charge of another kind.',
  required: { amount: Money },
  optional: {
    ...charge,
    ...corrections,
    startDate: PlainDate,
    endDate: PlainDate,
    type: oneOf(values.chargeType),
  },
})

const BillingPayment = record('BillingPayment', {
  description: 'A payment to an energy account.',
  required: { amount: Money },
  optional: { method: oneOf(values.paymentMethod) },
})

const billingTypes = ['usage', 'demand', 'onceOff', 'otherCharges', 'payment'] as const

export type EnergyBillingTransaction = Static<typeof EnergyBillingTransaction>
export const EnergyBillingTransaction = record('EnergyBillingTransaction', {
  description: 'A charge or payment of an energy account.',
  required: {
    accountId: Id,
    transactionUType: oneOf(billingTypes),
    executionDateTime: described(
      LocalDateTime,
      'Local time, in the configured time zone of the provider.',
    ),
  },
  optional: {
    gst: Money,
    usage: BillingUsage,
    demand: BillingDemand,
    onceOff: BillingOnceOff,
    otherCharges: BillingOtherCharges,
    payment: BillingPayment,
  },
  rules: union('transactionUType', billingTypes),
})
