import type { BankingBalance, DirectDebit, ScheduledPayment } from '../../../contract/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { Money } from '../../components/money.tsx'
import { RecordView, valueToWords } from '../../components/record-view.tsx'
import type { Column } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { toLabel } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import type { AccountProps } from './account-props.ts'
import { callProvider } from './calls.ts'
import { type PagedBody, PagedTable, pageMax, readCount, readPage } from './paged-table.tsx'

/** Two terms for the facts of an account. */
export function Balance({ balance }: { readonly balance: BankingBalance }) {
  const { currentBalance, availableBalance, currency = 'AUD' } = balance
  return (
    <>
      <dt>Current balance</dt>
      <dd>
        <Money amount={currentBalance} currency={currency} />
      </dd>
      <dt>Available balance</dt>
      <dd>
        <Money amount={availableBalance} currency={currency} />
      </dd>
    </>
  )
}

export async function loadBalance(
  customerId: string,
  accountId: string,
  signal: AbortSignal,
): Promise<BankingBalance | undefined> {
  const { data } = await callProvider<{ readonly data: { readonly balances: BankingBalance[] } }>(
    {
      operation: 'listBankingBalances',
      params: { customerId },
      body: { data: { accountIds: [accountId] } },
    },
    signal,
  )
  return data.balances[0]
}

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

export function ScheduledPayments({ customerId, accountId, query }: AccountProps) {
  const page = readCount(query.get('page'), 1, pageMax)
  const payments = useResource(`${customerId}\n${accountId}\n${page}`, async (signal) => {
    const params = { customerId, accountId }
    const body = await callProvider<PagedBody>(
      { operation: 'listScheduledPayments', params, query: { page } },
      signal,
    )
    return readPage<ScheduledPayment>(body, 'scheduledPayments')
  })
  return (
    <PagedTable
      resource={payments}
      page={page}
      noun="scheduled payments"
      columns={scheduledColumns}
      rowKey={({ scheduledPaymentId }) => scheduledPaymentId}
      empty={<Empty title="No payment is scheduled from this account" />}
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

export function DirectDebits({ customerId, accountId, query }: AccountProps) {
  const page = readCount(query.get('page'), 1, pageMax)
  const debits = useResource(`${customerId}\n${accountId}\n${page}`, async (signal) => {
    const body = await callProvider<PagedBody>(
      {
        operation: 'listDirectDebits',
        params: { customerId },
        query: { page },
        body: { data: { accountIds: [accountId] } },
      },
      signal,
    )
    return readPage<DirectDebit>(body, 'directDebitAuthorisations')
  })
  return (
    <PagedTable
      resource={debits}
      page={page}
      noun="direct debits"
      columns={debitColumns}
      rowKey={(debit) => JSON.stringify(debit)}
      empty={<Empty title="No organisation may debit this account" />}
    />
  )
}
