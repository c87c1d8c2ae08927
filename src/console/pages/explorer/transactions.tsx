import { useState } from 'preact/hooks'
import type { BankingTransaction } from '../../../contract/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { Field } from '../../components/field.tsx'
import { Money } from '../../components/money.tsx'
import { valueToWords } from '../../components/record-view.tsx'
import type { Column } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import type { AccountProps } from './account-props.ts'
import { FilterForm, readFilters } from './filter-form.tsx'
import { PagedTable, pageSizeStandard, pageSizes, readCount } from './paged-table.tsx'
import { TimeFields, timeNames, toTime } from './time-fields.tsx'
import { TransactionCharts } from './transaction-charts.tsx'

const amounts = { 'min-amount': 'Lowest amount', 'max-amount': 'Highest amount' } as const
const textFilters = [...timeNames, 'min-amount', 'max-amount', 'text'] as const
const decimal = /^-?\d{1,32}(\.\d{1,32})?$/

const columns: readonly Column<BankingTransaction>[] = [
  {
    title: 'Time',
    cell: ({ postingDateTime, executionDateTime }) => {
      const time = postingDateTime ?? executionDateTime
      return time ? <Time value={time} /> : <span class="muted">not given</span>
    },
  },
  {
    title: 'Description',
    isHeading: true,
    cell: ({ description, reference, transactionId }) => (
      <>
        {description || reference || transactionId}
        {description && reference && <span class="muted"> {reference}</span>}
      </>
    ),
  },
  { title: 'Type', cell: ({ type }) => (type ? valueToWords(type) : '') },
  {
    title: 'Status',
    cell: ({ status }) => (
      <Badge kind={status === 'PENDING' ? 'warn' : 'neutral'}>{valueToWords(status)}</Badge>
    ),
  },
  { title: 'Amount', isNumber: true, cell: ({ amount }) => <Money amount={amount} /> },
]

/** The transactions of a bank account, with all filters of the interface. */
export function Transactions(account: AccountProps) {
  const { query } = account
  const pageSize = readCount(query.get('page-size'), pageSizeStandard, 1000)
  return (
    <>
      <TransactionCharts {...account} />
      <h2>Transactions</h2>
      <Filters key={query.toString()} query={query} />
      <PagedTable
        account={account}
        operation="listBankingTransactions"
        filters={{ ...readFilters(query, textFilters), 'page-size': pageSize }}
        noun="transactions"
        columns={columns}
        rowKey={({ transactionId }) => transactionId}
        empty={
          <Empty title="No transaction matches">
            <p>
              Without a time, only the last 12 months are searched. Change the filters, or clear
              them.
            </p>
          </Empty>
        }
      />
    </>
  )
}

function Filters({ query }: { readonly query: URLSearchParams }) {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const isValid = (readText: (name: string) => string) => {
    const invalid = Object.keys(amounts).filter((name) => !decimal.test(readText(name) || '0'))
    setErrors(Object.fromEntries(invalid.map((name) => [name, 'Enter a decimal, such as -12.50.'])))
    return invalid.length === 0
  }
  const read = (name: string, text: string) => {
    if (name === 'page-size') return text === String(pageSizeStandard) ? undefined : text
    return timeNames.some((each) => each === name) ? toTime(text) : text
  }
  return (
    <FilterForm query={query} names={[...textFilters, 'page-size']} read={read} isValid={isValid}>
      <TimeFields query={query} />
      {Object.entries(amounts).map(([name, label]) => (
        <Field key={name} label={label} error={errors[name]}>
          {(control) => (
            <input
              {...control}
              name={name}
              inputMode="text"
              autocomplete="off"
              defaultValue={query.get(name) ?? ''}
            />
          )}
        </Field>
      ))}
      <Field label="Text">
        {(control) => (
          <input
            {...control}
            name="text"
            maxLength={1000}
            autocomplete="off"
            defaultValue={query.get('text') ?? ''}
          />
        )}
      </Field>
      <PageSize value={query.get('page-size')} />
    </FilterForm>
  )
}

function PageSize({ value }: { readonly value: string | null }) {
  const current = readCount(value, pageSizeStandard, 1000)
  const sizes = [...new Set([...pageSizes, current])].sort((a, b) => a - b)
  return (
    <Field label="Page size">
      {(control) => (
        <select {...control} name="page-size">
          {sizes.map((size) => (
            <option key={size} value={size} selected={size === current}>
              {size}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
