import type { EnergyBillingTransaction, EnergyInvoice } from '../../../contract/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { Field } from '../../components/field.tsx'
import { Money } from '../../components/money.tsx'
import { RecordView, valueToWords } from '../../components/record-view.tsx'
import type { Column } from '../../components/table.tsx'
import { toLabel } from '../../labels.ts'
import type { AccountProps } from './account-props.ts'
import { EnergyCharts } from './energy-charts.tsx'
import { FilterForm, readFilters } from './filter-form.tsx'
import { PagedTable } from './paged-table.tsx'
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
export function Invoices(account: AccountProps) {
  const { customerId, accountId, query } = account
  return (
    <>
      <EnergyCharts customerId={customerId} accountId={accountId} />
      <h2>Invoices</h2>
      <FilterForm query={query} names={dateNames}>
        <DateFields query={query} />
      </FilterForm>
      <PagedTable
        account={account}
        operation="listEnergyInvoices"
        filters={readFilters(query, dateNames)}
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

export function Billing(account: AccountProps) {
  const { query } = account
  return (
    <>
      <FilterForm query={query} names={timeNames} read={(_, text) => toTime(text)}>
        <TimeFields query={query} />
      </FilterForm>
      <PagedTable
        account={account}
        operation="listEnergyBilling"
        filters={readFilters(query, timeNames)}
        noun="charges and payments"
        columns={billingColumns}
        empty={
          <Empty title="No charge or payment matches">
            <p>Without a time, only the last 12 months are searched.</p>
          </Empty>
        }
      />
    </>
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
