import type { ComponentChildren } from 'preact'
import type { EnergyBillingTransaction, EnergyInvoice } from '../../../contract/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { Field } from '../../components/field.tsx'
import { Money } from '../../components/money.tsx'
import { RecordView, valueToWords } from '../../components/record-view.tsx'
import type { Column } from '../../components/table.tsx'
import { toLabel } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import { setQuery } from '../../router.ts'
import type { AccountProps } from './account-props.ts'
import { callProvider } from './calls.ts'
import { EnergyCharts } from './energy-charts.tsx'
import { type PagedBody, PagedTable, pageMax, readCount, readPage } from './paged-table.tsx'
import { TimeFields, timeNames, toTime } from './time-fields.tsx'

const money = (amount: string | undefined) =>
  amount === undefined ? '' : <Money amount={amount} />

const invoiceColumns: readonly Column<EnergyInvoice>[] = [
  { title: 'Invoice', isHeading: true, cell: ({ invoiceNumber }) => invoiceNumber },
  { title: 'Issued', cell: ({ issueDate }) => <span class="number">{issueDate}</span> },
  {
    title: 'Period',
    cell: ({ period }) => period && `${period.startDate ?? '…'} – ${period.endDate ?? '…'}`,
  },
  { title: 'Due', cell: ({ dueDate }) => <span class="number">{dueDate}</span> },
  {
    title: 'Status',
    cell: ({ paymentStatus }) => paymentStatus && <Badge>{valueToWords(paymentStatus)}</Badge>,
  },
  { title: 'GST', isNumber: true, cell: ({ gstAmount }) => money(gstAmount) },
  { title: 'Amount', isNumber: true, cell: ({ invoiceAmount }) => money(invoiceAmount) },
]

const dateNames = ['oldest-date', 'newest-date'] as const

/** The invoices of an energy account, with what they cost and what was used. */
export function Invoices({ customerId, accountId, query }: AccountProps) {
  const page = readCount(query.get('page'), 1, pageMax)
  const filters = readFilters(query, dateNames)
  const invoices = useResource(
    JSON.stringify([customerId, accountId, page, filters]),
    async (signal) => {
      const body = await callProvider<PagedBody>(
        {
          operation: 'listEnergyInvoices',
          params: { customerId },
          query: { ...filters, page },
          body: { data: { accountIds: [accountId] } },
        },
        signal,
      )
      return readPage<EnergyInvoice>(body, 'invoices')
    },
    { keepValue: true },
  )
  return (
    <>
      <EnergyCharts customerId={customerId} accountId={accountId} />
      <h2>Invoices</h2>
      <FilterForm query={query} names={dateNames} read={(text) => text}>
        <DateFields query={query} />
      </FilterForm>
      <PagedTable
        resource={invoices}
        page={page}
        noun="invoices"
        columns={invoiceColumns}
        rowKey={({ invoiceNumber }) => invoiceNumber}
        empty={
          <Empty title="No invoice matches">
            <p>Without a date, only the last 24 months are searched.</p>
          </Empty>
        }
      />
    </>
  )
}

const billingColumns: readonly Column<EnergyBillingTransaction>[] = [
  {
    title: 'Time (provider’s zone)',
    cell: ({ executionDateTime }) => executionDateTime.replace('T', ' '),
  },
  {
    title: 'Charge',
    isHeading: true,
    cell: (transaction) => (
      <details>
        <summary>
          {readCharge(transaction).description || toLabel(transaction.transactionUType)}
        </summary>
        <RecordView value={readCharge(transaction)} />
      </details>
    ),
  },
  { title: 'Kind', cell: ({ transactionUType }) => toLabel(transactionUType) },
  { title: 'GST', isNumber: true, cell: ({ gst }) => money(gst) },
  {
    title: 'Amount',
    isNumber: true,
    cell: (transaction) => money(readCharge(transaction).amount),
  },
]

interface Charge {
  readonly amount?: string | undefined
  readonly description?: string | undefined
}

function readCharge(transaction: EnergyBillingTransaction): Charge {
  const { usage, demand, onceOff, otherCharges, payment } = transaction
  return usage ?? demand ?? onceOff ?? otherCharges ?? payment ?? {}
}

export function Billing({ customerId, accountId, query }: AccountProps) {
  const page = readCount(query.get('page'), 1, pageMax)
  const filters = readFilters(query, timeNames)
  const billing = useResource(
    JSON.stringify([customerId, accountId, page, filters]),
    async (signal) => {
      const body = await callProvider<PagedBody>(
        {
          operation: 'listEnergyBilling',
          params: { customerId, accountId },
          query: { ...filters, page },
        },
        signal,
      )
      return readPage<EnergyBillingTransaction>(body, 'transactions')
    },
    { keepValue: true },
  )
  return (
    <>
      <FilterForm query={query} names={timeNames} read={toTime}>
        <TimeFields query={query} />
      </FilterForm>
      <PagedTable
        resource={billing}
        page={page}
        noun="charges and payments"
        columns={billingColumns}
        rowKey={(transaction) => JSON.stringify(transaction)}
        empty={
          <Empty title="No charge or payment matches">
            <p>Without a time, only the last 12 months are searched.</p>
          </Empty>
        }
      />
    </>
  )
}

function readFilters(query: URLSearchParams, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])),
  )
}

function FilterForm({
  query,
  names,
  read,
  children,
}: {
  readonly query: URLSearchParams
  readonly names: readonly string[]
  /** From the text of the input to the value of the parameter. */
  readonly read: (text: string) => string | undefined
  readonly children: ComponentChildren
}) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const changes = names.map((name) => [name, read(String(form.get(name) ?? ''))])
    setQuery({ ...Object.fromEntries(changes), page: undefined })
  }
  return (
    <form class="filters" aria-label="Filters" onSubmit={submit} noValidate key={query.toString()}>
      <div class="fields">{children}</div>
      <p class="buttons">
        <button type="submit">Apply filters</button>
        <button
          type="button"
          class="secondary"
          onClick={() => setQuery(Object.fromEntries([...names, 'page'].map((name) => [name, ''])))}
        >
          Clear
        </button>
      </p>
    </form>
  )
}

function DateFields({ query }: { readonly query: URLSearchParams }) {
  const labels = { 'oldest-date': 'Issued from', 'newest-date': 'Issued until' }
  return (
    <>
      {dateNames.map((name) => (
        <Field key={name} label={labels[name]}>
          {(control) => (
            <input {...control} name={name} type="date" defaultValue={query.get(name) ?? ''} />
          )}
        </Field>
      ))}
    </>
  )
}
