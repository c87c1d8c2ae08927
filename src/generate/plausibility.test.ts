import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  filterLines,
  filterRecords,
  type Line,
  parseCents,
  parseLine,
  sum,
} from '../../test/support/generated-lines.ts'
import { propertyRuns } from '../../test/support/properties.ts'
import type { EnergyAccount, EnergyInvoice, ScheduledPayment } from '../contract/index.ts'
import { generateLines } from './index.ts'

const days: readonly string[] = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN']
const dayMinutes = 24 * 60

const runs = propertyRuns(10)

/** Without PROPERTY_RUNS, all tests have the same seeds. */
const linesBySeed = new Map<number, readonly Line[]>()

function generate(seed: number): readonly Line[] {
  if (linesBySeed.size > runs.numRuns) linesBySeed.clear()
  return linesBySeed.getOrInsertComputed(seed, () => {
    const options = { customers: 14, transactions: 20, until: '2026-03-01T09:30:00+11:00' }
    return [...generateLines({ ...options, seed })].map(parseLine)
  })
}

/** Asserts something about the data of any seed. */
function always(assertAbout: (lines: readonly Line[]) => void): void {
  fc.assert(
    fc.property(fc.integer(), (seed) => assertAbout(generate(seed))),
    runs,
  )
}

function listAccountIds(lines: readonly Line[], type: 'banking.account' | 'energy.account') {
  return filterRecords(lines, type).map(({ accountId }) => accountId)
}

describe('the data of any seed', () => {
  it('has one contact for each account, and one balance for each bank account', () => {
    always((lines) => {
      const banking = listAccountIds(lines, 'banking.account')
      const contacts = filterLines(lines, 'account.contact').map(({ accountId }) => accountId)
      const balances = filterRecords(lines, 'banking.balance').map(({ accountId }) => accountId)

      assert.deepEqual(
        contacts.toSorted(),
        [...banking, ...listAccountIds(lines, 'energy.account')].toSorted(),
      )
      assert.deepEqual(balances.toSorted(), banking.toSorted())
    })
  })

  it('has times of use that cover the whole week once', () => {
    always((lines) => {
      const rates = filterRecords(lines, 'energy.account')
        .flatMap(listContracts)
        .flatMap(({ tariffPeriod = [] }) => tariffPeriod)
        .flatMap(({ timeOfUseRates }) => (timeOfUseRates ? [timeOfUseRates] : []))

      for (const periods of rates) {
        const covered = periods.flatMap(({ timeOfUse = [] }) => timeOfUse.flatMap(listMinutes))
        assert.equal(covered.length, days.length * dayMinutes)
        assert.equal(new Set(covered).size, covered.length)
      }
    })
  })

  it('has invoices whose GST is at most their amount, which is the sum of their parts', () => {
    always((lines) => {
      for (const invoice of filterRecords(lines, 'energy.invoice')) {
        const amount = parseCents(invoice.invoiceAmount)
        const gst = parseCents(invoice.gstAmount)

        assert.ok(gst >= 0 && gst <= amount, `${invoice.invoiceNumber}: ${gst} of ${amount}`)
        assert.equal(sumParts(invoice), amount, invoice.invoiceNumber)
      }
    })
  })

  it('has invoices with the supply charges of the contract', () => {
    always((lines) => {
      const accounts = new Map(
        filterRecords(lines, 'energy.account').map((account) => [account.accountId, account]),
      )
      for (const invoice of filterRecords(lines, 'energy.invoice')) {
        const { planDetail } = accounts.get(invoice.accountId)?.plans?.[0] ?? {}
        for (const [charges, contract] of [
          [invoice.electricity, planDetail?.electricityContract],
          [invoice.gas, planDetail?.gasContract],
        ] as const) {
          const [supply] = charges?.otherCharges ?? []
          const [season] = contract?.tariffPeriod ?? []
          if (!charges && !contract) continue
          assert.ok(supply && season)
          assert.equal(parseCents(supply.amount), priceSupply(season, countDays(invoice)))
        }
      }
    })
  })

  it('has contracts that say what happens when a fixed term ends', () => {
    always((lines) => {
      for (const contract of filterRecords(lines, 'energy.account').flatMap(listContracts)) {
        const isFixedTerm = contract.termType !== 'ONGOING'
        assert.equal(contract.onExpiryDescription !== undefined, isFixedTerm)
      }
    })
  })

  it('has the current rate of each account', () => {
    always((lines) => {
      for (const account of filterRecords(lines, 'banking.account')) {
        const { depositRate, depositRates, lendingRate, lendingRates } = account
        assert.deepEqual(
          [depositRate, lendingRate],
          [depositRates?.[0]?.rate, [lendingRates ?? []].flat()[0]?.rate],
        )
      }
    })
  })

  it('has full details of the payee of each payment', () => {
    always((lines) => {
      for (const { paymentSet } of filterRecords(lines, 'banking.scheduledPayment')) {
        assert.ok(paymentSet)
        assert.deepEqual(listMissingDetails(paymentSet.to), [])
      }
    })
  })

  it('has English texts in the catalogue', () => {
    always((lines) => {
      for (const product of filterRecords(lines, 'product')) {
        assert.match(JSON.stringify(product), /^[\x20-\x7e’]*$/)
        assert.match(product.description, /^(An? )?[A-Za-z ,-]{15,}$/)
      }
    })
  })
})

type Plan = NonNullable<EnergyAccount['plans']>[number]
type Contract = NonNullable<NonNullable<Plan['planDetail']>['electricityContract']>
type TariffPeriod = NonNullable<Contract['tariffPeriod']>[number]
type TimeOfUseRate = NonNullable<TariffPeriod['timeOfUseRates']>[number]
type TimeWindow = NonNullable<TimeOfUseRate['timeOfUse']>[number]

function listContracts({ plans = [] }: EnergyAccount): Contract[] {
  return plans.flatMap(({ planDetail }) =>
    [planDetail?.electricityContract, planDetail?.gasContract].flatMap((one) => one ?? []),
  )
}

/** The minutes of the week in a window, such as `MON 61`. A window that ends before it starts ends on the next day. */
function listMinutes({ days: first = [], startTime, endTime }: TimeWindow): string[] {
  const [start, end] = [parseMinutes(startTime), parseMinutes(endTime)]
  const length = end > start ? end - start : end - start + dayMinutes
  return first.flatMap((day) =>
    Array.from({ length }, (_, index) => {
      const minute = start + index
      const at = days.indexOf(day) + Math.floor(minute / dayMinutes)
      return `${days[at % days.length]} ${minute % dayMinutes}`
    }),
  )
}

function parseMinutes(time = ''): number {
  const [hours = '', minutes = ''] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}

/** Totals include GST. Credits and discounts are positive amounts. */
function sumParts({ electricity, gas, accountCharges }: EnergyInvoice): number {
  const fuels = [electricity, gas].flatMap((fuel) => fuel ?? [])
  return sum([
    ...fuels.flatMap(({ otherCharges = [], ...fuel }) => [
      parseCents(fuel.totalUsageCharges),
      parseCents(fuel.totalOnceOffCharges),
      -parseCents(fuel.totalOnceOffDiscounts),
      -parseCents(fuel.totalGenerationCredits),
      ...otherCharges.map(({ amount }) => parseCents(amount)),
    ]),
    parseCents(accountCharges?.totalCharges),
    -parseCents(accountCharges?.totalDiscounts),
  ])
}

function countDays({ period }: EnergyInvoice): number {
  const { startDate = '', endDate = '' } = period ?? {}
  return (Date.parse(endDate) - Date.parse(startDate)) / 86_400_000 + 1
}

/** In cents. A band without a volume has no end. */
function priceSupply(season: TariffPeriod, days: number): number {
  const bands = season.bandedDailySupplyCharges ?? [{ unitPrice: season.dailySupplyCharges ?? '' }]
  let left = days
  let dollars = 0
  for (const { unitPrice, volume = left } of bands) {
    dollars += Math.min(left, volume) * Number(unitPrice)
    left -= Math.min(left, volume)
  }
  return Math.round(Number((dollars * 100).toFixed(6)))
}

/** What decision 16 requires of a payee and is missing. Wallets are not registered. */
function listMissingDetails(to: NonNullable<ScheduledPayment['paymentSet']>['to']): string[] {
  const { toUType } = to
  const needs =
    toUType === 'accountId' || toUType === 'payeeId'
      ? (['accountId', 'payeeID', 'domestic'] as const)
      : toUType === 'digitalWallet'
        ? ([toUType] as const)
        : ([toUType, 'payeeID'] as const)
  return needs.filter((field) => to[field] === undefined)
}
