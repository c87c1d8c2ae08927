import type { EnergyBillingTransaction, EnergyInvoice } from '../../contract/index.ts'
import { addMonths, formatDate } from '../calendar.ts'
import { calculateGst, formatMoney } from '../money.ts'
import { formatLine } from '../options.ts'
import type { Random } from '../random.ts'
import { type Charge, createCharges, type Period, sumCharges } from './charges.ts'
import type { EnergyPlan, Supply } from './plan.ts'

/** The amounts in cents and the days of one bill. */
interface Bill {
  readonly issueDay: number
  readonly owed: number
  /** Deducted if the bill is paid on time. */
  readonly discount: number
  readonly payDay: number
  readonly paid: number
  readonly status: NonNullable<EnergyInvoice['paymentStatus']>
}

const dueDays = 14

/** Generates invoices, oldest first, each with its charges and its payment. The outstanding balance is carried over. */
export function* generateBilling(plan: EnergyPlan, random: Random): Generator<string> {
  const { accountId } = plan
  const method = random.pick(['DIRECT_DEBIT', 'BPAY', 'CARD', 'TRANSFER'] as const)
  let balance = 0
  for (let number = 1; number <= plan.invoiceCount; number += 1) {
    const period = createPeriod(plan, number)
    const charges = createCharges(plan, period, random)
    const bill = createBill(plan, period, balance + sumCharges(charges), random)
    balance = bill.owed - bill.paid - (bill.status === 'PAID' ? bill.discount : 0)

    yield formatLine('energy.invoice', createInvoice(plan, period, charges, bill))
    yield* generateCharges(accountId, period, charges, bill.issueDay)
    if (bill.paid === 0) continue
    const payment: EnergyBillingTransaction = {
      accountId,
      transactionUType: 'payment',
      executionDateTime: `${formatDate(bill.payDay)}T11:${random.integer(10, 59)}:00`,
      payment: { amount: formatMoney(bill.paid), method },
    }
    yield formatLine('energy.billing', payment, { id: `${period.invoiceNumber}-pay` })
  }
}

function createPeriod(plan: EnergyPlan, number: number): Period {
  const { accountId, endDay, invoiceCount, invoiceMonths } = plan
  const firstDay = addMonths(endDay, (number - 1 - invoiceCount) * invoiceMonths)
  const nextDay = addMonths(endDay, (number - invoiceCount) * invoiceMonths)
  const invoiceNumber = `i-${accountId.slice(2)}-${String(number).padStart(4, '0')}`
  return { number, invoiceNumber, firstDay, days: nextDay - firstDay }
}

/** Only the last bill may remain unpaid: supply ends for customers that do not pay. */
function createBill(
  plan: EnergyPlan,
  { number, firstDay, days }: Period,
  owed: number,
  random: Random,
): Bill {
  const issueDay = firstDay + days + 2
  const payDay = issueDay + random.integer(4, dueDays)
  const isPaidInFull = number < plan.invoiceCount || random.chance(0.7)
  const discount = Math.round((Math.max(owed, 0) * plan.onTimePercent) / 100)
  const bill = { issueDay, payDay, owed, discount }
  if (owed <= 0) return { ...bill, paid: 0, status: 'PAID' }
  if (payDay > plan.lastDay) return { ...bill, paid: 0, status: 'NOT_PAID' }
  // Some customers pay ahead, so that later invoices have a credit balance.
  const ahead = random.chance(0.06) ? random.integer(1, 9) * 10_000 : 0
  if (isPaidInFull) return { ...bill, paid: owed - discount + ahead, status: 'PAID' }
  if (owed < 200 || random.chance(0.5)) return { ...bill, paid: 0, status: 'NOT_PAID' }
  return { ...bill, paid: Math.floor(owed / 2), status: 'PARTIALLY_PAID' }
}

function createInvoice(
  { accountId, supplies }: EnergyPlan,
  { invoiceNumber, firstDay, days }: Period,
  charges: readonly Charge[],
  { issueDay, owed, discount, status }: Bill,
): EnergyInvoice {
  const dueDate = formatDate(issueDay + dueDays)
  const hasFuel = (fuel: Supply['fuel']) => supplies.some((supply) => supply.fuel === fuel)
  return {
    accountId,
    invoiceNumber,
    issueDate: formatDate(issueDay),
    dueDate,
    period: { startDate: formatDate(firstDay), endDate: formatDate(firstDay + days - 1) },
    invoiceAmount: formatMoney(sumCharges(charges)),
    gstAmount: sumGst(charges),
    ...(discount > 0 && {
      payOnTimeDiscount: {
        gstAmount: formatMoney(calculateGst(discount)),
        discountAmount: formatMoney(discount),
        date: dueDate,
      },
    }),
    balanceAtIssue: formatMoney(owed),
    servicePoints: supplies.map(({ servicePointId }) => String(servicePointId)),
    ...(hasFuel('ELECTRICITY') && { electricity: sumByKind('ELECTRICITY', charges) }),
    ...(hasFuel('GAS') && { gas: sumByKind('GAS', charges) }),
    ...sumAccountCharges(charges.filter(({ fuel }) => fuel === undefined)),
    paymentStatus: status,
  }
}

function sumByKind(fuel: Supply['fuel'], all: readonly Charge[]) {
  const charges = all.filter((charge) => charge.fuel === fuel)
  const total = (kind: Charge['kind'], sign: 1 | -1) =>
    formatMoney(
      sign * sumCharges(charges.filter((one) => one.kind === kind && one.cents * sign > 0)),
    )
  return {
    totalGst: sumGst(charges),
    totalGenerationCredits: total('feedIn', -1),
    totalOnceOffCharges: total('onceOff', 1),
    totalOnceOffDiscounts: total('onceOff', -1),
    totalUsageCharges: total('use', 1),
    otherCharges: [
      { type: 'NETWORK' as const, amount: total('supply', 1), description: 'Daily supply' },
    ],
  }
}

function sumAccountCharges(charges: readonly Charge[]): Pick<EnergyInvoice, 'accountCharges'> {
  if (charges.length === 0) return {}
  return {
    accountCharges: {
      totalCharges: formatMoney(sumCharges(charges)),
      totalDiscounts: formatMoney(0),
      totalGst: sumGst(charges),
    },
  }
}

function sumGst(charges: readonly Charge[]): string {
  return formatMoney(calculateGst(sumCharges(charges.filter(isTaxed))))
}

/** The GST of each charge is the increase in the GST of the running total, so that rounding loses no cent. */
function* generateCharges(
  accountId: string,
  { invoiceNumber }: Period,
  charges: readonly Charge[],
  issueDay: number,
): Generator<string> {
  let taxed = 0
  for (const [index, charge] of charges.entries()) {
    const gstBefore = calculateGst(taxed)
    if (isTaxed(charge)) taxed += charge.cents
    const { transactionUType, ...details } = charge.body
    const record: EnergyBillingTransaction = {
      accountId,
      transactionUType,
      executionDateTime: `${formatDate(issueDay)}T00:${10 + index}:00`,
      ...(isTaxed(charge) && { gst: formatMoney(calculateGst(taxed) - gstBefore) }),
      ...details,
    }
    yield formatLine('energy.billing', record, { id: `${invoiceNumber}-${index + 1}` })
  }
}

function isTaxed({ cents }: Charge): boolean {
  return cents > 0
}
