import type {
  AccountContact,
  BankingAccount,
  BankingBalance,
  BankingTransaction,
  Customer,
  ScheduledPayment,
} from 'holdfast/contract'
import { toInterval, toProduct, toTransactionType } from './codes.ts'

/** The records of the queries, and how they become records of the interface. Times have an offset; amounts are text. */

export interface AccountRow {
  readonly id: string
  readonly bsb_no: string
  readonly prod_cd: string
  readonly acct_nm: string
  readonly acct_stat_cd: string
  readonly opened_at: string
  readonly is_owned: boolean
  readonly users: readonly { readonly no: string; readonly email: string; readonly owns: boolean }[]
}

export interface BalanceRow {
  readonly id: string
  readonly ledger: string
  readonly available: string
}

export interface TransactionRow {
  readonly id: string
  readonly no: string
  readonly txn_cd: string
  readonly narr: string | null
  readonly reference: string | null
  readonly effective_at: string
  readonly is_posted: boolean
  readonly amount: string
}

export interface StandingOrderRow {
  readonly id: string
  readonly so_no: number
  readonly payee_nm: string
  readonly payee_bsb_no: string
  readonly payee_no: string
  readonly amount: string
  readonly freq_cd: string
  readonly next_at: string
  readonly reference: string | null
  readonly stat_cd: string
}

export interface CustomerRow {
  readonly no: string
  readonly gvn_nm: string
  readonly fam_nm: string
  readonly email_addr: string
  readonly email_vrfd_flg: string
  readonly mob_no: string
  readonly mob_vrfd_flg: string
  readonly addr_ln_1: string
  readonly suburb_nm: string
  readonly state: string
  readonly postcode: string
  readonly updated_at: string
}

export interface PartyRow extends CustomerRow {
  readonly rel_cd: string
}

export function toAccount(row: AccountRow) {
  const { id, users } = row
  return {
    accountId: id,
    creationDate: row.opened_at,
    displayName: row.acct_nm,
    openStatus: row.acct_stat_cd === 'CL' ? 'CLOSED' : 'OPEN',
    isOwned: row.is_owned,
    accountOwnership: users.filter(({ owns }) => owns).length > 1 ? 'TWO_PARTY' : 'ONE_PARTY',
    maskedNumber: `xxxx${id.slice(-4)}`,
    ...toProduct(row.prod_cd),
    ...(users.length > 1 && {
      users: users.map(({ no, email, owns }) => ({
        id: Number(no),
        email,
        isAccountHolder: owns,
      })),
    }),
    bsb: Number(row.bsb_no),
    accountNumber: Number(id),
  } satisfies BankingAccount
}

export function toBalance({ id, ledger, available }: BalanceRow): BankingBalance {
  return { accountId: id, currentBalance: ledger, availableBalance: available }
}

export function toTransaction(row: TransactionRow): BankingTransaction {
  const { narr, reference, effective_at } = row
  return {
    accountId: row.id,
    transactionId: row.no,
    isDetailAvailable: false,
    type: toTransactionType(row.txn_cd),
    ...(row.is_posted
      ? { status: 'POSTED', postingDateTime: effective_at }
      : { status: 'PENDING', executionDateTime: effective_at }),
    amount: row.amount,
    ...(narr !== null && { description: narr }),
    ...(reference !== null && { reference }),
  }
}

export function toPayment(row: StandingOrderRow): ScheduledPayment {
  const { payee_nm, reference } = row
  return {
    scheduledPaymentId: String(row.so_no),
    nickname: payee_nm,
    ...(reference !== null && { payerReference: reference }),
    status: row.stat_cd === 'A' ? 'ACTIVE' : 'INACTIVE',
    from: { accountId: row.id },
    paymentSet: {
      to: {
        toUType: 'domestic',
        domestic: {
          payeeAccountUType: 'account',
          account: {
            accountName: payee_nm,
            bsb: Number(row.payee_bsb_no),
            accountNumber: Number(row.payee_no),
          },
        },
      },
      isAmountCalculated: false,
      amount: row.amount,
    },
    recurrence: {
      nextPaymentDate: row.next_at,
      reccurenceUType: 'intervalSchedule',
      intervalSchedule: { intervals: [{ interval: toInterval(row.freq_cd) }] },
    },
  }
}

export function toCustomer(row: CustomerRow) {
  return {
    id: row.no,
    name: `${row.gvn_nm} ${row.fam_nm}`,
    givenName: row.gvn_nm,
    familyName: row.fam_nm,
    email: row.email_addr,
    emailVerified: row.email_vrfd_flg === 'Y',
    phoneNumber: `+61${row.mob_no.slice(1)}`,
    phoneNumberVerified: row.mob_vrfd_flg === 'Y',
    updatedAt: row.updated_at,
    address: {
      streetAddress: row.addr_ln_1,
      locality: row.suburb_nm,
      region: row.state,
      postalCode: row.postcode,
      country: 'AU',
    },
  } satisfies Customer
}

export function toContact(parties: readonly PartyRow[]): AccountContact {
  const owner = parties.some(({ rel_cd }) => rel_cd === 'JNT') ? 'PRIMARY_JOINT' : 'SOLE_OWNER'
  return {
    holders: parties.map(({ rel_cd, gvn_nm, fam_nm }) => ({
      relationship: rel_cd === 'SIG' ? 'AUTHORIZED_SIGNER' : owner,
      name: { first: gvn_nm, last: fam_nm },
    })),
    emails: parties.map(({ email_addr }) => email_addr),
    addresses: parties.map(({ addr_ln_1, suburb_nm, state, postcode }) => ({
      line1: addr_ln_1,
      city: suburb_nm,
      region: state,
      postalCode: postcode,
      country: 'AU',
    })),
    telephones: parties.map(({ mob_no }) => ({
      type: 'CELL',
      country: '61',
      number: mob_no.slice(1),
    })),
  }
}
