import { useState } from 'preact/hooks'
import type { BankingTransaction } from '../../../contract/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { Field } from '../../components/field.tsx'
import { Money } from '../../components/money.tsx'
import { valueToWords } from '../../components/record-view.tsx'
import type { Column } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import { setQuery } from '../../router.ts'
import type { AccountProps } from './account-props.ts'
import { callProvider } from './calls.ts'
import {
  type PagedBody,
  PagedTable,
  pageMax,
  pageSizeStandard,
  pageSizes,
  readCount,
  readPage,
} from './paged-table.tsx'
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
export function Transactions(props: AccountProps) {
  const { customerId, accountId, query } = props
  const page = readCount(query.get('page'), 1, pageMax)
  const pageSize = readCount(query.get('page-size'), pageSizeStandard, 1000)
  const filters = Object.fromEntries(
    textFilters.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])),
  )
  const input = { ...filters, page, 'page-size': pageSize }
  const transactions = useResource(
    JSON.stringify([customerId, accountId, input]),
    async (signal) => {
      const body = await callProvider<PagedBody>(
        { operation: 'listBankingTransactions', params: { customerId, accountId }, query: input },
        signal,
      )
      return readPage<BankingTransaction>(body, 'transactions')
    },
    { keepValue: true },
  )
  return (
    <>
      <TransactionCharts {...props} />
      <h2>Transactions</h2>
      <Filters key={query.toString()} query={query} />
      <PagedTable
        resource={transactions}
        page={page}
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
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const read = (name: string) => String(form.get(name) ?? '').trim()
    const invalid = Object.keys(amounts).filter((name) => read(name) && !decimal.test(read(name)))
    setErrors(Object.fromEntries(invalid.map((name) => [name, 'Enter a decimal, such as -12.50.'])))
    if (invalid.length > 0) return
    setQuery({
      'oldest-time': toTime(read('oldest-time')),
      'newest-time': toTime(read('newest-time')),
      'min-amount': read('min-amount'),
      'max-amount': read('max-amount'),
      text: read('text'),
      'page-size': read('page-size') === String(pageSizeStandard) ? undefined : read('page-size'),
      page: undefined,
    })
  }
  const clear = () =>
    setQuery(Object.fromEntries([...textFilters, 'page-size', 'page'].map((name) => [name, ''])))
  return (
    <form class="filters" aria-label="Filters" onSubmit={submit} noValidate>
      <div class="fields">
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
      </div>
      <p class="buttons">
        <button type="submit">Apply filters</button>
        <button type="button" class="secondary" onClick={clear}>
          Clear
        </button>
      </p>
    </form>
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
