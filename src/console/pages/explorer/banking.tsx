import type { DirectDebit, ScheduledPayment } from '../../../contract/index.ts'
import { toLabel } from '../../../contract/labels.ts'
import { Badge } from '../../components/badge.tsx'
import { Money } from '../../components/money.tsx'
import { RecordView, valueToWords } from '../../components/record-view.tsx'
import type { Column } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import type { AccountProps } from './account-props.ts'
import { EntryList } from './entry-list.tsx'

const scheduledColumns: readonly Column<ScheduledPayment>[] = [
  {
    title: 'Payment',
    isHeading: true,
    cell: ({ nickname, payerReference, payeeReference, scheduledPaymentId }) =>
      nickname || payerReference || payeeReference || scheduledPaymentId,
  },
  {
    title: 'Status',
    cell: ({ status }) => (status ? <Badge>{valueToWords(status)}</Badge> : ''),
  },
  {
    title: 'Payee',
    cell: ({ paymentSet }) =>
      paymentSet && (
        <details>
          <summary>{paymentSet.to.nickname || toLabel(paymentSet.to.toUType)}</summary>
          <RecordView value={paymentSet.to} />
        </details>
      ),
  },
  {
    title: 'Recurrence',
    cell: ({ recurrence }) =>
      recurrence && (
        <details>
          <summary>{toLabel(recurrence.reccurenceUType)}</summary>
          <RecordView value={recurrence} />
        </details>
      ),
  },
  {
    title: 'Amount',
    isNumber: true,
    cell: ({ paymentSet }) =>
      paymentSet?.amount ? <Money amount={paymentSet.amount} /> : 'calculated',
  },
]

export function ScheduledPayments(account: AccountProps) {
  return (
    <EntryList
      account={account}
      operation="listScheduledPayments"
      noun="scheduled payments"
      columns={scheduledColumns}
      rowKey={({ scheduledPaymentId }) => scheduledPaymentId}
      emptyTitle="No payment is scheduled from this account"
    />
  )
}

const debitColumns: readonly Column<DirectDebit>[] = [
  {
    title: 'Organisation',
    isHeading: true,
    cell: ({ authorisedEntity }) => (
      <details>
        <summary>
          {authorisedEntity?.description || authorisedEntity?.financialInstitution || 'Unnamed'}
        </summary>
        <RecordView value={authorisedEntity} />
      </details>
    ),
  },
  {
    title: 'Last debit',
    cell: ({ lastDebitDateTime }) =>
      lastDebitDateTime ? <Time value={lastDebitDateTime} /> : 'not given',
  },
  {
    title: 'Amount',
    isNumber: true,
    cell: ({ lastDebitAmount }) => (lastDebitAmount ? <Money amount={lastDebitAmount} /> : ''),
  },
]

export function DirectDebits(account: AccountProps) {
  return (
    <EntryList
      account={account}
      operation="listDirectDebits"
      noun="direct debits"
      columns={debitColumns}
      emptyTitle="No organisation may debit this account"
    />
  )
}
