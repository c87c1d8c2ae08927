import { addMonths } from '../calendar.ts'
import { generateContact } from '../contact.ts'
import { formatLine, type GenerationContext } from '../options.ts'
import type { Ownership } from '../ownership.ts'
import { createRandom, type Random } from '../random.ts'
import { createEnergyAccount } from './account.ts'
import { generateBilling } from './billing.ts'
import type { EnergyPlan, Supply } from './plan.ts'

/** The approximate number of billing transactions per invoice. */
const billingLinesPerInvoice = 4

export function* generateEnergyAccount(
  context: GenerationContext,
  ownership: Ownership,
): Generator<string> {
  const random = createRandom(context.seed, 'energy', ownership.accountId)
  const plan = createPlan(context, ownership, random)
  const holders = ownership.holders.map(({ person }) => ({ customerId: person.customerId }))
  yield formatLine('energy.account', createEnergyAccount(plan, random), { holders })
  yield* generateBilling(plan, random)
  yield* generateContact(ownership, plan.isClosed, random)
}

function createPlan(context: GenerationContext, ownership: Ownership, random: Random): EnergyPlan {
  const isOrganisation = ownership.complexAccountType === 'ORGANISATION'
  const fuels = random.pick(fuelChoices)
  // The first customer is the one that users look at: the account is open and has invoices.
  const isFirstCustomer = ownership.holders[0].person.number === 1
  const isClosed = random.chance(0.1) && !isFirstCustomer
  const invoiceMonths = random.pick([1, 3, 3] as const)
  const months = random.chance(0.05) && !isFirstCustomer ? 0 : random.integer(6, 48)
  const invoicesMax = Math.round(context.transactions / billingLinesPerInvoice)
  const invoiceCount = Math.min(Math.ceil(months / invoiceMonths), invoicesMax)
  // Billing times have no zone and may be read as UTC: one day earlier, they are in the past in every zone.
  const lastDay = context.lastDay - 1
  const endDay = lastDay - random.integer(4, invoiceMonths * 28) - (isClosed ? 200 : 0)
  return {
    accountId: ownership.accountId,
    ownership,
    supplies: fuels.map((fuel) => createSupply(fuel, isOrganisation, random)) as [
      Supply,
      ...Supply[],
    ],
    isClosed,
    firstDay: addMonths(endDay, -invoiceMonths * invoiceCount),
    endDay,
    invoiceCount,
    invoiceMonths,
    paperBillCents: random.chance(0.3) ? 220 : 0,
    onTimePercent: random.pick([0, 0, 3, 5]),
    lastDay,
  }
}

const fuelChoices: readonly (readonly Supply['fuel'][])[] = [
  ['ELECTRICITY'],
  ['ELECTRICITY'],
  ['GAS'],
  ['ELECTRICITY', 'GAS'],
]

function createSupply(fuel: Supply['fuel'], isOrganisation: boolean, random: Random): Supply {
  const isGas = fuel === 'GAS'
  const size = (isOrganisation ? 6 : 1) * (0.5 + random.fraction())
  const dailyPrice = random.integer(7800, 13_500)
  const servicePointId = `${isGas ? '5' : '9'}${random.digits(9)}`
  return {
    fuel,
    // Some retailers send the service point id as a number.
    servicePointId: random.chance(0.25) ? Number(servicePointId) : servicePointId,
    dailyUse: size * (isGas ? 110 : 16),
    unitPrice: isGas ? random.integer(290, 450) : random.integer(2450, 3690),
    dailyPrice,
    laterDailyPrice: random.chance(0.15) ? Math.round(dailyPrice * 0.85) : undefined,
    isTimeOfUse: !isGas && random.chance(0.4),
    hasControlledLoad: !isGas && random.chance(0.25),
    feedInPrice: !isGas && random.chance(0.3) ? random.integer(330, 1200) : undefined,
    demandPrice: !isGas && isOrganisation ? random.integer(90_000, 180_000) : undefined,
  }
}
