import type { BankingTransaction } from '../../../contract/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Money } from '../../components/money.tsx'
import { valueToWords } from '../../components/record-view.tsx'
import type { Column } from '../../components/table.tsx'
import { Moment, nameZone } from '../../components/time.tsx'
import type { AccountProps } from './account-props.ts'
import { EntryList } from './entry-list.tsx'
import { type Filter, timeFilters } from './filter-form.tsx'
import { TransactionCharts } from './transaction-charts.tsx'

const filters: readonly Filter[] = [
  ...timeFilters,
  { name: 'min-amount', kind: 'decimal' },
  { name: 'max-amount', kind: 'decimal' },
  { name: 'text', kind: 'text' },
  { name: 'page-size', kind: 'pageSize' },
]

const listColumns = (): readonly Column<BankingTransaction>[] => [
  {
    title: `Time (${nameZone()})`,
    cell: ({ postingDateTime, executionDateTime }) => {
      const time = postingDateTime ?? executionDateTime
      return time ? <Moment value={time} /> : <span class="muted">not given</span>
    },
  },
  {
    title: 'Description',
    isHeading: true,
    isLong: true,
    cell: ({ description, reference, transactionId }) => (
      <>
        {description || reference || transactionId}
        {description && reference && <span class="muted"> {reference}</span>}
      </>
    ),
  },
  { title: 'Type', isExtra: true, cell: ({ type }) => (type ? valueToWords(type) : '') },
  {
    title: 'Status',
    cell: ({ status }) =>
      status === 'POSTED' ? '' : <Badge kind="warn">{valueToWords(status)}</Badge>,
  },
  {
    title: 'Amount',
    isNumber: true,
    phone: 'first',
    cell: ({ amount }) => <Money amount={amount} />,
  },
]

/** The transactions of a bank account, with all filters of the interface. */
export function Transactions(account: AccountProps) {
  return (
    <>
      <TransactionCharts {...account} />
      <h2>Transactions</h2>
      <EntryList
        account={account}
        operation="listBankingTransactions"
        filters={filters}
        noun="transactions"
        columns={listColumns()}
        rowKey={({ transactionId }) => transactionId}
        emptyTitle="No transaction matches"
        emptyHint="Change the filters, or clear them."
      />
    </>
  )
}
