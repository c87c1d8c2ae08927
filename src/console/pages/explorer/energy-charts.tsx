import type { EnergyBillingTransaction, EnergyInvoice } from '../../../contract/index.ts'
import { Chart } from '../../components/chart.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { groupDigits } from '../../components/money.tsx'
import { addDecimals } from '../../decimal.ts'
import { useResource } from '../../resource.ts'
import { createAxes, createBars } from './bars.ts'
import { readList } from './read-list.ts'

const recordsMax = 1000
const currency = 'AUD'

interface InvoiceUse {
  readonly label: string
  readonly cost: string
  readonly use: string
}

interface History {
  readonly invoices: readonly InvoiceUse[]
  /** The unit of the use, if all of it has the same. */
  readonly unit: string | undefined
}

async function loadHistory(
  customerId: string,
  accountId: string,
  signal: AbortSignal,
): Promise<History> {
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

/** What each invoice cost, and the use that is billed on it. */
export function sumUse(
  invoices: readonly EnergyInvoice[],
  billing: readonly EnergyBillingTransaction[],
): History {
  const usages = billing.flatMap(({ usage }) => (usage?.usage === undefined ? [] : [usage]))
  const units = [...new Set(usages.map(({ measureUnit }) => measureUnit ?? ''))]
  return {
    unit: units.length === 1 && units[0] ? units[0] : undefined,
    invoices: invoices
      .map(({ invoiceNumber, issueDate, invoiceAmount = '0' }) => ({
        label: issueDate,
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
export function EnergyCharts({
  customerId,
  accountId,
}: {
  readonly customerId: string
  readonly accountId: string
}) {
  const history = useResource(`${customerId}\n${accountId}`, (signal) =>
    loadHistory(customerId, accountId, signal),
  )
  return (
    <Loaded resource={history}>
      {({ invoices, unit }) => {
        const last = invoices.at(-1)
        if (!last) return null
        const shared = createAxes(invoices.map(({ label }) => label))
        const hasUse = unit !== undefined && invoices.some(({ use }) => use !== '0')
        return (
          <div class="account-charts">
            <h2 class="visually-hidden">Charts</h2>
            <Chart
              kind="bars"
              title="Cost by invoice"
              sentence={`The last invoice, of ${last.label}, was ${groupDigits(last.cost)} ${currency}.`}
              positionTitle="Issued"
              {...shared}
              series={[
                createBars(
                  `Cost (${currency})`,
                  'accent',
                  invoices.map(({ cost }) => cost),
                ),
              ]}
            />
            {hasUse && (
              <Chart
                kind="bars"
                title="Use by invoice"
                sentence={`The invoice of ${last.label} bills ${groupDigits(last.use)} ${unit}.`}
                positionTitle="Issued"
                {...shared}
                series={[
                  createBars(
                    `Use (${unit})`,
                    'accent',
                    invoices.map(({ use }) => use),
                  ),
                ]}
              />
            )}
          </div>
        )
      }}
    </Loaded>
  )
}
