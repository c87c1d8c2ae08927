import { values } from '../../enumerations.ts'
import {
  amount,
  anyText,
  date,
  enumeration,
  flag,
  id,
  localDateTime,
  number,
  text,
  union,
} from './scalars.ts'
import { list, object, optional, required, type Shape } from './shapes.ts'

const otherCharge = object('EnergyInvoiceOtherCharge', {
  type: optional(enumeration(values.chargeType)),
  amount: required(amount),
  description: anyText,
})

const fuelTotals = {
  totalUsageCharges: required(amount),
  totalGenerationCredits: required(amount),
  totalOnceOffCharges: required(amount),
  totalOnceOffDiscounts: required(amount),
  otherCharges: optional(list(otherCharge)),
  totalGst: optional(amount),
}

/** A list of service points may be empty. */
export const energyInvoice = object('EnergyInvoice', {
  accountId: required(id('account')),
  invoiceNumber: required(text),
  issueDate: required(date),
  dueDate: optional(date),
  period: optional(
    object('EnergyInvoicePeriod', { startDate: required(date), endDate: required(date) }),
  ),
  invoiceAmount: optional(amount),
  gstAmount: optional(amount),
  payOnTimeDiscount: optional(
    object('EnergyPayOnTimeDiscount', {
      discountAmount: required(amount),
      gstAmount: optional(amount),
      date: required(date),
    }),
  ),
  balanceAtIssue: required(amount),
  servicePoints: required(list(id('servicePoint')), { otherwise: [] }),
  gas: optional(object('EnergyInvoiceGas', fuelTotals)),
  electricity: optional(object('EnergyInvoiceElectricity', fuelTotals)),
  accountCharges: optional(
    object('EnergyInvoiceAccountCharges', {
      totalCharges: required(amount),
      totalDiscounts: required(amount),
      totalGst: optional(amount),
    }),
  ),
  paymentStatus: required(enumeration(values.paymentStatus)),
})

const charge = {
  servicePointId: optional(id('servicePoint')),
  invoiceNumber: optional(text),
}

/** A period of dates begins with the first day and ends with the last one. */
const period = {
  isEstimate: optional(flag),
  startDate: required(localDateTime('00:00:00')),
  endDate: required(localDateTime('23:59:59')),
}

const corrections = {
  calculationFactors: optional(
    list(
      object('EnergyCalculationFactor', {
        value: required(number),
        type: required(enumeration(values.calculationFactorType)),
      }),
    ),
  ),
  adjustments: optional(
    list(object('EnergyAdjustment', { amount: required(amount), description: anyText })),
  ),
}

const metered = {
  ...charge,
  description: optional(text),
  ...period,
  measureUnit: optional(enumeration(values.measureUnit)),
  amount: required(amount),
  ...corrections,
}

const transactions: Readonly<Record<string, Shape>> = {
  usage: object('EnergyBillingUsage', {
    ...metered,
    timeOfUseType: required(enumeration(values.usageTimeType)),
    usage: required(number),
  }),
  demand: object('EnergyBillingDemand', {
    ...metered,
    timeOfUseType: required(enumeration(values.demandTimeType)),
    rate: required(number),
  }),
  onceOff: object('EnergyBillingOnceOff', {
    ...charge,
    amount: required(amount),
    description: anyText,
  }),
  otherCharges: object('EnergyBillingOtherCharges', {
    ...charge,
    startDate: optional(date),
    endDate: optional(date),
    type: optional(enumeration(values.chargeType)),
    amount: required(amount),
    description: anyText,
    ...corrections,
  }),
  payment: object('EnergyBillingPayment', {
    amount: required(amount),
    method: required(enumeration(values.paymentMethod), { otherwise: 'OTHER' }),
  }),
}

export const energyBilling = object('EnergyBillingTransaction', {
  accountId: required(id('account')),
  executionDateTime: required(localDateTime('00:00:00')),
  gst: optional(amount),
  ...union('transactionUType', transactions),
})
