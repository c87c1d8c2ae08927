import type { EnergyBillingTransaction, EnergyInvoice } from '../../../contract/index.ts'
import { toLabel } from '../../../contract/labels.ts'
import { Badge } from '../../components/badge.tsx'
import { Money } from '../../components/money.tsx'
import { RecordView, valueToWords } from '../../components/record-view.tsx'
import type { Column } from '../../components/table.tsx'
import { formatDate, Moment, nameZone } from '../../components/time.tsx'
import { timeZone } from '../../session.ts'
import { fromLocal } from '../../zoned-time.ts'
import type { AccountProps } from './account-props.ts'
import { EnergyCharts } from './energy-charts.tsx'
import { EntryList } from './entry-list.tsx'
import { type Filter, timeFilters } from './filter-form.tsx'

const money = (amount: string | undefined) =>
  amount === undefined ? '' : <Money amount={amount} />

const formatEnd = (date: string | undefined) => (date === undefined ? '…' : formatDate(date))

const invoiceColumns: readonly Column<EnergyInvoice>[] = [
  { title: 'Invoice', isHeading: true, cell: ({ invoiceNumber }) => invoiceNumber },
  { title: 'Issued', phone: 'labelled', cell: ({ issueDate }) => formatDate(issueDate) },
  {
    title: 'Period',
    cell: ({ period }) => period && `${formatEnd(period.startDate)} – ${formatEnd(period.endDate)}`,
  },
  { title: 'Due', isExtra: true, cell: ({ dueDate }) => dueDate && formatDate(dueDate) },
  {
    title: 'Status',
    cell: ({ paymentStatus }) => paymentStatus && <Badge>{valueToWords(paymentStatus)}</Badge>,
  },
  { title: 'GST', isNumber: true, isExtra: true, cell: ({ gstAmount }) => money(gstAmount) },
  {
    title: 'Amount',
    isNumber: true,
    phone: 'first',
    cell: ({ invoiceAmount }) => money(invoiceAmount),
  },
]

const dateFilters: readonly Filter[] = [
  { name: 'oldest-date', kind: 'date' },
  { name: 'newest-date', kind: 'date' },
]

/** The invoices of an energy account, with what they cost and what was used. */
export function Invoices(account: AccountProps) {
  return (
    <>
      <EnergyCharts {...account} />
      <h2>Invoices</h2>
      <EntryList
        account={account}
        operation="listEnergyInvoices"
        filters={dateFilters}
        noun="invoices"
        columns={invoiceColumns}
        rowKey={({ invoiceNumber }) => invoiceNumber}
        emptyTitle="No invoice matches"
        emptyHint="Change the filters, or clear them."
      />
    </>
  )
}

const listBillingColumns = (): readonly Column<EnergyBillingTransaction>[] => [
  {
    title: `Time (${nameZone()})`,
    // Without an offset, it is in the zone of the provider.
    cell: ({ executionDateTime }) => (
      <Moment value={fromLocal(timeZone.value, executionDateTime)} />
    ),
  },
  {
    title: 'Charge',
    isHeading: true,
    isLong: true,
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
  { title: 'GST', isNumber: true, isExtra: true, cell: ({ gst }) => money(gst) },
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
  return (
    <EntryList
      account={account}
      operation="listEnergyBilling"
      filters={timeFilters}
      noun="charges and payments"
      columns={listBillingColumns()}
      emptyTitle="No charge or payment matches"
      emptyHint="Change the filters, or clear them."
    />
  )
}
