import { basename } from 'node:path'
import type { Line, MapRow, PutLine } from 'holdfast/contract'

/** Booleans and JSON are values; everything else is text as PostgreSQL prints it. */
interface Customer {
  readonly party_id: string
  readonly full_name: string
  readonly email: string | null
  readonly changed_at: string
}

interface Account {
  readonly account_no: string
  readonly product: string
  readonly opened_on: string
  readonly is_closed: boolean
  readonly ledger_cents: string
  readonly available_cents: string
  readonly holders: readonly { readonly party: number; readonly owns: boolean }[]
}

interface Transaction {
  readonly posting_id: string
  readonly account_no: string
  readonly booked_at: string | null
  readonly created_at: string
  readonly side: 'D' | 'C'
  readonly cents: string
  readonly kind: string
  readonly narrative: string | null
}

type BankingAccount = PutLine<'banking.account'>['record']

const products = new Map<string, Pick<BankingAccount, 'productCategory' | 'productName'>>([
  ['SAV', { productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS', productName: 'Everyday Saver' }],
  ['CRD', { productCategory: 'CRED_AND_CHRG_CARDS', productName: 'Low Rate Card' }],
])

const map: MapRow<never> = (row, { file }) => {
  switch (basename(file)) {
    case 'customers.sql':
      return mapCustomer(row)
    case 'accounts.sql':
      return mapAccount(row)
    case 'transactions.sql':
      return mapTransaction(row)
    default:
      throw new Error('no mapping for this query')
  }
}
export default map

function mapCustomer({ party_id, full_name, email, changed_at }: Customer): Line {
  return {
    type: 'customer',
    record: {
      id: `P${party_id}`,
      name: full_name,
      ...(email !== null && { email }),
      updatedAt: toDateTime(changed_at),
    },
  }
}

function mapAccount(row: Account): Line[] {
  const { account_no: accountId, product, holders } = row
  return [
    {
      type: 'banking.account',
      holders: holders.map(({ party, owns }) => ({ customerId: `P${party}`, isOwned: owns })),
      record: {
        accountId,
        // A day in the zone of the bank.
        creationDate: Temporal.PlainDate.from(row.opened_on)
          .toZonedDateTime('Australia/Melbourne')
          .toInstant()
          .toString(),
        openStatus: row.is_closed ? 'CLOSED' : 'OPEN',
        ...products.get(product),
        ...(holders.length > 1 && {
          users: holders.map(({ party, owns }) => ({ id: party, isAccountHolder: owns })),
        }),
      },
    },
    {
      type: 'banking.balance',
      record: {
        accountId,
        currentBalance: toAmount(row.ledger_cents),
        availableBalance: toAmount(row.available_cents),
      },
    },
  ]
}

function mapTransaction(row: Transaction): Line {
  const { booked_at, created_at, side, narrative } = row
  return {
    type: 'banking.transaction',
    record: {
      accountId: row.account_no,
      transactionId: row.posting_id,
      type: row.kind === 'FEE' ? 'FEE' : row.kind === 'CARD' ? 'PAYMENT' : 'TRANSFER_INCOMING',
      status: booked_at === null ? 'PENDING' : 'POSTED',
      ...(narrative !== null && { description: narrative }),
      ...(booked_at === null
        ? { executionDateTime: toDateTime(created_at) }
        : { postingDateTime: toDateTime(booked_at) }),
      amount: toAmount(side === 'D' ? `-${row.cents}` : row.cents),
    },
  }
}

/** `2026-11-01 01:30:00.5+00` as an RFC 3339 date-time. */
function toDateTime(text: string): string {
  return text.replace(' ', 'T').replace(/\+00$/, 'Z')
}

/** `-52310` is `-523.10`, without a floating-point number. */
function toAmount(cents: string): string {
  const sign = cents.startsWith('-') ? '-' : ''
  const digits = cents.replace('-', '').padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
