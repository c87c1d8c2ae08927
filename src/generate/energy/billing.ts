import type { EnergyBillingTransaction, EnergyInvoice } from '../../contract/index.ts'
import { addMonths, dateOf } from '../calendar.ts'
import { gstOf, moneyText } from '../money.ts'
import { lineOf } from '../options.ts'
import type { Random } from '../random.ts'
import { type Charge, chargesOf, type Period } from './charges.ts'
import type { EnergyPlan, Supply } from './plan.ts'

/** What happens to one bill: when it is sent, what is then owed, and what comes of it. */
interface Bill {
  readonly issueDay: number
  readonly owed: number
  /** Taken off if it is paid in time. */
  readonly discount: number
  readonly payDay: number
  readonly paid: number
  readonly status: NonNullable<EnergyInvoice['paymentStatus']>
}

const dueDays = 14

/** Invoices, each with its charges and then its payment, oldest first. What is owed is carried on. */
export function* billingLines(plan: EnergyPlan, random: Random): Generator<string> {
  const { accountId } = plan
  const method = random.pick(['DIRECT_DEBIT', 'BPAY', 'CARD', 'TRANSFER'] as const)
  let balance = 0
  for (let number = 1; number <= plan.invoiceCount; number += 1) {
    const period = periodOf(plan, number)
    const charges = plan.supplies.flatMap((supply) => chargesOf(supply, period, random))
    const bill = billOf(plan, period, balance + sumOf(charges), random)
    balance = bill.owed - bill.paid - (bill.status === 'PAID' ? bill.discount : 0)

    yield lineOf('energy.invoice', invoiceOf(plan, period, charges, bill))
    yield* chargeLines(accountId, period, charges, bill.issueDay)
    if (bill.paid === 0) continue
    const payment: EnergyBillingTransaction = {
      accountId,
      transactionUType: 'payment',
      executionDateTime: `${dateOf(bill.payDay)}T11:${random.whole(10, 59)}:00`,
      payment: { amount: moneyText(bill.paid), method },
    }
    yield lineOf('energy.billing', payment, { id: `${period.invoiceNumber}-pay` })
  }
}

function periodOf(plan: EnergyPlan, number: number): Period {
  const { accountId, endDay, invoiceCount, invoiceMonths } = plan
  const firstDay = addMonths(endDay, (number - 1 - invoiceCount) * invoiceMonths)
  const nextDay = addMonths(endDay, (number - invoiceCount) * invoiceMonths)
  const invoiceNumber = `i-${accountId.slice(2)}-${String(number).padStart(4, '0')}`
  return { number, invoiceNumber, firstDay, days: nextDay - firstDay }
}

/** All but the last are paid: whoever does not pay is not supplied for long. */
function billOf(
  plan: EnergyPlan,
  { number, firstDay, days }: Period,
  owed: number,
  random: Random,
): Bill {
  const issueDay = firstDay + days + 2
  const payDay = issueDay + random.whole(4, dueDays)
  const isWilling = number < plan.invoiceCount || random.chance(0.7)
  const discount = Math.round((Math.max(owed, 0) * plan.onTimePercent) / 100)
  const bill = { issueDay, payDay, owed, discount }
  if (owed <= 0) return { ...bill, paid: 0, status: 'PAID' }
  if (payDay > plan.lastDay) return { ...bill, paid: 0, status: 'NOT_PAID' }
  if (isWilling) return { ...bill, paid: owed - discount, status: 'PAID' }
  if (owed < 200 || random.chance(0.5)) return { ...bill, paid: 0, status: 'NOT_PAID' }
  return { ...bill, paid: Math.floor(owed / 2), status: 'PARTIALLY_PAID' }
}

function invoiceOf(
  { accountId, supplies }: EnergyPlan,
  { invoiceNumber, firstDay, days }: Period,
  charges: readonly Charge[],
  { issueDay, owed, discount, status }: Bill,
): EnergyInvoice {
  const dueDate = dateOf(issueDay + dueDays)
  const has = (fuel: Supply['fuel']) => supplies.some((supply) => supply.fuel === fuel)
  return {
    accountId,
    invoiceNumber,
    issueDate: dateOf(issueDay),
    dueDate,
    period: { startDate: dateOf(firstDay), endDate: dateOf(firstDay + days - 1) },
    invoiceAmount: moneyText(sumOf(charges)),
    gstAmount: moneyText(gstOf(sumOf(charges.filter(isTaxed)))),
    ...(discount > 0 && {
      payOnTimeDiscount: {
        gstAmount: moneyText(gstOf(discount)),
        discountAmount: moneyText(discount),
        date: dueDate,
      },
    }),
    balanceAtIssue: moneyText(owed),
    servicePoints: supplies.map(({ servicePointId }) => String(servicePointId)),
    ...(has('ELECTRICITY') && { electricity: totalsOf('ELECTRICITY', charges) }),
    ...(has('GAS') && { gas: totalsOf('GAS', charges) }),
    paymentStatus: status,
  }
}

function totalsOf(fuel: Supply['fuel'], all: readonly Charge[]) {
  const charges = all.filter((charge) => charge.fuel === fuel)
  const total = (kind: Charge['kind'], sign: 1 | -1) =>
    moneyText(sign * sumOf(charges.filter((one) => one.kind === kind && one.cents * sign > 0)))
  return {
    totalGst: moneyText(gstOf(sumOf(charges.filter(isTaxed)))),
    totalGenerationCredits: total('feedIn', -1),
    totalOnceOffCharges: total('onceOff', 1),
    totalOnceOffDiscounts: total('onceOff', -1),
    totalUsageCharges: total('use', 1),
  }
}

/** Each charge bears the tax that the sum so far has and the sum before had not: no cent is lost. */
function* chargeLines(
  accountId: string,
  { invoiceNumber }: Period,
  charges: readonly Charge[],
  issueDay: number,
): Generator<string> {
  let taxed = 0
  for (const [index, charge] of charges.entries()) {
    const gstBefore = gstOf(taxed)
    if (isTaxed(charge)) taxed += charge.cents
    const { transactionUType, ...details } = charge.body
    const record: EnergyBillingTransaction = {
      accountId,
      transactionUType,
      executionDateTime: `${dateOf(issueDay)}T00:${10 + index}:00`,
      ...(isTaxed(charge) && { gst: moneyText(gstOf(taxed) - gstBefore) }),
      ...details,
    }
    yield lineOf('energy.billing', record, { id: `${invoiceNumber}-${index + 1}` })
  }
}

function isTaxed({ cents }: Charge): boolean {
  return cents > 0
}

function sumOf(charges: readonly Charge[]): number {
  return charges.reduce((sum, { cents }) => sum + cents, 0)
}
