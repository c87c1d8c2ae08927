import type { EnergyBillingTransaction, EnergyInvoice } from '../../../contract/index.ts'
import { groupDigits } from '../../components/money.tsx'
import { Loaded } from '../../components/states.tsx'
import { formatDate } from '../../components/time.tsx'
import { addDecimals } from '../../decimal.ts'
import { useResource } from '../../resource.ts'
import type { AccountProps } from './account-props.ts'
import { BarCharts } from './bar-charts.tsx'
import { readList } from './read-list.ts'

const recordsMax = 1000
const currency = 'AUD'

async function loadHistory(customerId: string, accountId: string, signal: AbortSignal) {
  const account = { customerId, accountId }
  const query = { 'page-size': recordsMax }
  const billingQuery = { ...query, 'oldest-time': monthsAgo(26) }
  const [invoices, billing] = await Promise.all([
    readList('listEnergyInvoices', account, query, signal),
    readList('listEnergyBilling', account, billingQuery, signal),
  ])
  return sumUse(invoices.rows, billing.rows)
}

/** The default of invoices is 24 months, and an invoice bills what was used before it. */
function monthsAgo(months: number): string {
  const time = new Date()
  time.setUTCMonth(time.getUTCMonth() - months)
  return time.toISOString()
}

/** What each invoice cost, and the use that is billed on it. The unit is undefined unless all use has the same. */
function sumUse(invoices: readonly EnergyInvoice[], billing: readonly EnergyBillingTransaction[]) {
  const usages = billing.flatMap(({ usage }) => (usage?.usage === undefined ? [] : [usage]))
  const units = [...new Set(usages.map(({ measureUnit }) => measureUnit ?? ''))]
  return {
    unit: units.length === 1 && units[0] ? units[0] : undefined,
    invoices: invoices
      .map(({ invoiceNumber, issueDate, invoiceAmount = '0' }) => ({
        label: formatDate(issueDate),
        cost: invoiceAmount,
        use: addDecimals(
          usages
            .filter((usage) => usage.invoiceNumber === invoiceNumber)
            .map(({ usage }) => String(usage)),
        ),
      }))
      .reverse(),
  }
}

/** Cost and use by invoice. */
export function EnergyCharts({ customerId, accountId }: AccountProps) {
  const history = useResource(`${customerId}\n${accountId}`, (signal) =>
    loadHistory(customerId, accountId, signal),
  )
  return (
    <Loaded resource={history}>
      {({ invoices, unit }) => {
        const last = invoices.at(-1)
        if (!last) return null
        const cost = {
          title: 'Cost by invoice',
          unit: currency,
          sentence: `The last invoice, of ${last.label}, was ${groupDigits(last.cost)} ${currency}.`,
          bars: [[`Cost (${currency})`, 'accent', invoices.map((each) => each.cost)]],
        } as const
        const use = {
          title: 'Use by invoice',
          unit: unit ?? '',
          sentence: `The invoice of ${last.label} bills ${groupDigits(last.use)} ${unit}.`,
          bars: [[`Use (${unit})`, 'accent', invoices.map((each) => each.use)]],
        } as const
        const hasUse = unit !== undefined && invoices.some((each) => each.use !== '0')
        return (
          <BarCharts
            positionTitle="Issued"
            labels={invoices.map(({ label }) => label)}
            charts={hasUse ? [cost, use] : [cost]}
          />
        )
      }}
    </Loaded>
  )
}
