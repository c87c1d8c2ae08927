import { groupDigits } from '../../components/money.tsx'
import { Loaded } from '../../components/states.tsx'
import { formatMonth, nameZone } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import { timeZone } from '../../session.ts'
import type { AccountProps } from './account-props.ts'
import { type BarChart, BarCharts } from './bar-charts.tsx'
import { sumMonths } from './months.ts'
import { readList } from './read-list.ts'

/** One page of the largest size: a chart needs no more to be useful. */
const transactionsMax = 1000

async function loadHistory({ customerId, accountId, balance }: AccountProps, signal: AbortSignal) {
  const account = { customerId, accountId }
  const query = { 'page-size': transactionsMax }
  const { rows, totalRecords } = await readList('listBankingTransactions', account, query, signal)
  return {
    months: sumMonths(rows, balance?.currentBalance ?? '0', timeZone.value),
    currency: balance?.currency ?? 'AUD',
    isComplete: rows.length === totalRecords,
  }
}

/** The balance, if the account has one, and the money in and out by month, of the last 12 months. */
export function TransactionCharts(props: AccountProps) {
  const history = useResource(`${props.customerId}\n${props.accountId}`, (signal) =>
    loadHistory(props, signal),
  )
  return (
    <Loaded resource={history}>
      {({ months, currency, isComplete }) => {
        const last = months.at(-1)
        if (!last) return null
        const amount = (text: string) => `${groupDigits(text)} ${currency}`
        const part = isComplete ? '' : ` Of the newest ${transactionsMax} transactions.`
        const balances: BarChart = {
          title: 'Balance at the end of each month',
          unit: currency,
          sentence: `Now ${amount(last.balance)}, from the posted transactions of the last 12 months.${part}`,
          bars: [[`Balance (${currency})`, 'accent', months.map(({ balance }) => balance)]],
        }
        return (
          <BarCharts
            positionTitle={`Month (${nameZone()})`}
            labels={months.map(({ month }) => formatMonth(month))}
            charts={[
              ...(props.balance ? [balances] : []),
              {
                title: 'Money in and out',
                unit: currency,
                sentence: `In ${formatMonth(last.month)}, ${amount(last.moneyIn)} came in and ${amount(last.moneyOut)} went out.${part}`,
                bars: [
                  [`In (${currency})`, 'accent', months.map(({ moneyIn }) => moneyIn)],
                  [`Out (${currency})`, 'series-3', months.map(({ moneyOut }) => moneyOut)],
                ],
              },
            ]}
          />
        )
      }}
    </Loaded>
  )
}
