import { addMonths } from '../calendar.ts'
import { contactLines } from '../contact.ts'
import { type GenerationContext, lineOf } from '../options.ts'
import type { Ownership } from '../ownership.ts'
import { type Random, randomFrom } from '../random.ts'
import { energyAccountOf } from './account.ts'
import { billingLines } from './billing.ts'
import type { EnergyPlan, Supply } from './plan.ts'

/** Lines that an invoice brings about, roughly. */
const billingLinesAnInvoice = 4

export function* energyLines(world: GenerationContext, holding: Ownership): Generator<string> {
  const random = randomFrom(world.seed, 'energy', holding.accountId)
  const plan = planOf(world, holding, random)
  const holders = holding.holders.map(({ person }) => ({ customerId: person.customerId }))
  yield lineOf('energy.account', energyAccountOf(plan, random), { holders })
  yield* billingLines(plan, random)
  yield* contactLines(holding, plan.isClosed, random)
}

function planOf(world: GenerationContext, holding: Ownership, random: Random): EnergyPlan {
  const isFirm = holding.complexAccountType === 'ORGANISATION'
  const fuels = random.pick(fuelChoices)
  // The first customer is the one that people look at.
  const isShown = holding.holders[0].person.number === 1
  const isClosed = random.chance(0.1) && !isShown
  const invoiceMonths = random.pick([1, 3, 3] as const)
  const months = random.chance(0.05) && !isShown ? 0 : random.whole(6, 48)
  const affordable = Math.round(world.transactions / billingLinesAnInvoice)
  const invoiceCount = Math.min(Math.ceil(months / invoiceMonths), affordable)
  // Billing times have no zone and may be read in UTC: one day earlier, they are past everywhere.
  const lastDay = world.lastDay - 1
  const endDay = lastDay - random.whole(4, invoiceMonths * 28) - (isClosed ? 200 : 0)
  return {
    accountId: holding.accountId,
    holding,
    supplies: fuels.map((fuel) => supplyOf(fuel, isFirm, random)) as [Supply, ...Supply[]],
    isClosed,
    firstDay: addMonths(endDay, -invoiceMonths * invoiceCount),
    endDay,
    invoiceCount,
    invoiceMonths,
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

function supplyOf(fuel: Supply['fuel'], isFirm: boolean, random: Random): Supply {
  const isGas = fuel === 'GAS'
  const size = (isFirm ? 6 : 1) * (0.5 + random.unit())
  const servicePointId = `${isGas ? '5' : '9'}${random.digits(9)}`
  return {
    fuel,
    // Some retailers send the meter's number as a number.
    servicePointId: random.chance(0.25) ? Number(servicePointId) : servicePointId,
    dailyUse: size * (isGas ? 110 : 16),
    unitPrice: isGas ? random.whole(290, 450) : random.whole(2450, 3690),
    dailyPrice: random.whole(7800, 13_500),
    isTimeOfUse: !isGas && random.chance(0.4),
    hasControlledLoad: !isGas && random.chance(0.25),
    feedInPrice: !isGas && random.chance(0.3) ? random.whole(330, 1200) : undefined,
    demandPrice: !isGas && isFirm ? random.whole(90_000, 180_000) : undefined,
  }
}
