import type { Static } from 'typebox'
import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { union } from '../rules.ts'
import { Decimal, Flag, Id, LocalDateTime, Money, PlainDate, Text } from '../scalars.ts'
import { Type } from '../type.ts'

const fuelTotals = {
  totalGst: Money,
  totalGenerationCredits: Money,
  totalOnceOffCharges: Money,
  totalOnceOffDiscounts: Money,
  totalUsageCharges: Money,
}

export const InvoiceElectricity = record('InvoiceElectricity', {}, fuelTotals, {
  description: 'The totals of the electricity on an invoice.',
})
export const InvoiceGas = record('InvoiceGas', {}, fuelTotals, {
  description: 'The totals of the gas on an invoice.',
})

export type EnergyInvoice = Static<typeof EnergyInvoice>
export const EnergyInvoice = record(
  'EnergyInvoice',
  {
    accountId: Id,
    invoiceNumber: Id,
    issueDate: described(PlainDate, 'The date that `listEnergyInvoices` filters and orders by.'),
  },
  {
    dueDate: PlainDate,
    period: record(
      'InvoicePeriod',
      {},
      { startDate: PlainDate, endDate: PlainDate },
      { description: 'The period that an invoice covers.' },
    ),
    invoiceAmount: Money,
    gstAmount: Money,
    payOnTimeDiscount: record(
      'PayOnTimeDiscount',
      {},
      {
        gstAmount: Money,
        discountAmount: Money,
        date: PlainDate,
      },
      { description: 'A discount for payment by a date.' },
    ),
    balanceAtIssue: Money,
    servicePoints: Type.Array(Text),
    electricity: InvoiceElectricity,
    gas: InvoiceGas,
    paymentStatus: oneOf(values.paymentStatus),
  },
  { description: 'An invoice of an energy account.' },
)

const charge = { servicePointId: Text, invoiceNumber: Text, description: Text }
const period = { isEstimate: Flag, startDate: PlainDate, endDate: PlainDate }
const corrections = {
  calculationFactors: Type.Array(
    record(
      'CalculationFactor',
      { type: oneOf(values.calculationFactorType), value: Decimal },
      {},
      { description: 'A factor in the calculation of a charge.' },
    ),
  ),
  adjustments: Type.Array(
    record(
      'Adjustment',
      { amount: Money },
      { description: Text },
      { description: 'An adjustment of a charge.' },
    ),
  ),
}
const metered = { measureUnit: oneOf(values.measureUnit), ...corrections }

export const BillingUsage = record(
  'BillingUsage',
  { amount: Money },
  {
    ...charge,
    ...period,
    ...metered,
    usage: described(Decimal, 'The quantity used.'),
    timeOfUseType: oneOf(values.usageTimeType),
  },
  { description: 'A charge for energy used, or a credit for energy generated.' },
)

export const BillingDemand = record(
  'BillingDemand',
  { amount: Money },
  {
    ...charge,
    ...period,
    ...metered,
    rate: Decimal,
    timeOfUseType: oneOf(values.demandTimeType),
  },
  { description: 'A charge for demand.' },
)

export const BillingOnceOff = record('BillingOnceOff', { amount: Money }, charge, {
  description: 'A charge or credit that occurs once.',
})

export const BillingOtherCharges = record(
  'BillingOtherCharges',
  { amount: Money },
  {
    ...charge,
    ...corrections,
    startDate: PlainDate,
    endDate: PlainDate,
    type: oneOf(values.chargeType),
  },
  { description: 'A charge of another kind.' },
)

export const BillingPayment = record(
  'BillingPayment',
  { amount: Money },
  {
    method: oneOf(values.paymentMethod),
  },
  { description: 'A payment to an energy account.' },
)

const billingTypes = ['usage', 'demand', 'onceOff', 'otherCharges', 'payment'] as const

export type EnergyBillingTransaction = Static<typeof EnergyBillingTransaction>
export const EnergyBillingTransaction = record(
  'EnergyBillingTransaction',
  {
    accountId: Id,
    transactionUType: oneOf(billingTypes),
    executionDateTime: described(
      LocalDateTime,
      'Local time, in the configured time zone of the provider.',
    ),
  },
  {
    gst: Money,
    usage: BillingUsage,
    demand: BillingDemand,
    onceOff: BillingOnceOff,
    otherCharges: BillingOtherCharges,
    payment: BillingPayment,
  },
  {
    description: 'A charge or payment of an energy account.',
    rules: union('transactionUType', billingTypes),
  },
)
