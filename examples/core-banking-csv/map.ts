import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Line, MapRow, PutLine } from 'holdfast/contract'

type Row = Readonly<Record<string, string>>

/** The core system writes local times. */
const zone = 'Australia/Melbourne'

type BankingAccount = PutLine<'banking.account'>['record']
type Transaction = PutLine<'banking.transaction'>['record']

const products = new Map<string, Pick<BankingAccount, 'productCategory' | 'productName'>>([
  ['SAV', { productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS', productName: 'Everyday Saver' }],
  ['CHQ', { productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS', productName: 'Cheque Account' }],
  ['CC', { productCategory: 'CRED_AND_CHRG_CARDS', productName: 'Low Rate Card' }],
  ['HL', { productCategory: 'RESIDENTIAL_MORTGAGES', productName: 'Home Loan' }],
  ['TD', { productCategory: 'TERM_DEPOSITS', productName: 'Term Deposit' }],
])

const openStatuses = new Map<string, NonNullable<BankingAccount['openStatus']>>([
  ['A', 'OPEN'],
  ['C', 'CLOSED'],
])

/** Primary and joint holders own the account, a signatory does not. */
const ownership = new Map([
  ['P', true],
  ['J', true],
  ['S', false],
])

const pending = new Map([
  ['Y', true],
  ['N', false],
])

const signs = new Map([
  ['CR', ''],
  ['DR', '-'],
])

const transactionTypes = new Map<string, NonNullable<Transaction['type']>>([
  ['POS', 'PAYMENT'],
  ['DDR', 'DIRECT_DEBIT'],
  ['SAL', 'TRANSFER_INCOMING'],
  ['TFI', 'TRANSFER_INCOMING'],
  ['TFO', 'TRANSFER_OUTGOING'],
  ['INT', 'INTEREST_PAID'],
  ['FEE', 'FEE'],
])

const maps = new Map<string, (row: Row) => Line | readonly Line[]>([
  ['customers.csv', mapCustomer],
  ['accounts.csv', mapAccount],
  ['transactions.csv', mapTransaction],
])

const map: MapRow<Row> = (row, { file }) => find(maps, basename(file), 'the file name')(row)
export default map

function mapCustomer(row: Row): Line {
  const { CUST_NO = '', SURNAME = '', GIVEN_NAME = '', EMAIL = '', MOBILE = '' } = row
  // `\b` would find a word boundary beside every letter that is not ASCII.
  const familyName = SURNAME.toLowerCase().replace(/(?<![\p{L}\p{M}])\p{L}/gu, (letter) =>
    letter.toUpperCase(),
  )
  return {
    type: 'customer',
    record: {
      id: CUST_NO,
      name: `${GIVEN_NAME} ${familyName}`,
      ...(EMAIL !== '' && { email: EMAIL.toLowerCase() }),
      givenName: GIVEN_NAME,
      familyName,
      ...(MOBILE !== '' && { phoneNumber: MOBILE.replace(/^0/, '+61') }),
      updatedAt: toInstant(row['LAST_CHANGED'], 'LAST_CHANGED'),
      address: {
        streetAddress: row['ADDRESS'] ?? '',
        locality: row['SUBURB'] ?? '',
        region: row['STATE'] ?? '',
        postalCode: row['POSTCODE'] ?? '',
        country: 'AU',
      },
    },
  }
}

/** A row has the account and its balance. */
function mapAccount(row: Row): Line[] {
  const { ACCT_NO = '', PROD_CD = '', NICKNAME = '', OPEN_DT, STATUS = '' } = row
  const holders = find(holdersByAccount, ACCT_NO, 'the holder of ACCT_NO').map(
    ({ customer, role }) => ({ customer, isOwned: find(ownership, role, 'ROLE') }),
  )
  const accountId = ACCT_NO
  return [
    {
      type: 'banking.account',
      holders: holders.map(({ customer, isOwned }) => ({ customerId: customer, isOwned })),
      record: {
        accountId,
        creationDate: toInstant(`${OPEN_DT} 000000`, 'OPEN_DT'),
        ...(NICKNAME !== '' && { nickname: NICKNAME }),
        openStatus: find(openStatuses, STATUS, 'STATUS'),
        ...find(products, PROD_CD, 'PROD_CD'),
        ...(holders.length > 1 && {
          users: holders.map(({ customer, isOwned }) => ({
            id: Number(customer),
            isAccountHolder: isOwned,
          })),
        }),
      },
    },
    {
      type: 'banking.balance',
      record: {
        accountId,
        currentBalance: toSigned(row['LEDGER_BAL'], 'LEDGER_BAL'),
        availableBalance: toSigned(row['AVAIL_BAL'], 'AVAIL_BAL'),
      },
    },
  ]
}

function mapTransaction(row: Row): Line {
  const { ACCT_NO = '', SEQ = '', TRAN_CD = '', NARRATIVE = '', DEBIT = '', CREDIT = '' } = row
  if (DEBIT !== '' && CREDIT !== '') throw new Error('DEBIT and CREDIT are both present')
  const isPending = find(pending, row['PENDING'] ?? '', 'PENDING')
  const time = toInstant(`${row['POST_DT']} ${row['POST_TM']}`, 'POST_DT with POST_TM')
  return {
    type: 'banking.transaction',
    record: {
      accountId: ACCT_NO,
      transactionId: `${ACCT_NO}-${SEQ.padStart(6, '0')}`,
      type: find(transactionTypes, TRAN_CD, 'TRAN_CD'),
      status: isPending ? 'PENDING' : 'POSTED',
      description: NARRATIVE,
      // A pending transaction is not posted yet: its time is that of the execution.
      ...(isPending ? { executionDateTime: time } : { postingDateTime: time }),
      amount: DEBIT === '' ? toAmount(CREDIT) : `-${toAmount(DEBIT)}`,
    },
  }
}

/** The holders are a file of their own, which is joined by the account number. */
const holdersByAccount = readHolders(join(import.meta.dirname, 'account_holders.csv'))

function readHolders(file: string): Map<string, { customer: string; role: string }[]> {
  const [, ...rows] = readFileSync(file, 'utf8').trim().split(/\r?\n/)
  const holders = new Map<string, { customer: string; role: string }[]>()
  for (const row of rows) {
    const [account = '', customer = '', role = ''] = row.split(',')
    holders.set(account, [...(holders.get(account) ?? []), { customer, role }])
  }
  return holders
}

/** `31/10/2026 093000` or `31/10/2026 09:30:00`, local time, as an RFC 3339 date-time in UTC. */
function toInstant(text: string | undefined, field: string): string {
  const local = parseLocal(text, field)
  // A time that occurs twice, at the end of daylight saving time, is the earlier of the two.
  const zoned = local.toZonedDateTime(zone, { disambiguation: 'earlier' })
  if (!zoned.toPlainDateTime().equals(local)) {
    throw new Error(`${field} does not exist: it is skipped at the start of daylight saving time`)
  }
  return zoned.toInstant().toString()
}

function parseLocal(text = '', field: string): Temporal.PlainDateTime {
  const format = /^(\d\d)\/(\d\d)\/(\d{4}) (\d{6}|\d\d:\d\d:\d\d)$/
  const [, day, month, year, time] = format.exec(text) ?? []
  try {
    return Temporal.PlainDateTime.from(`${year}-${month}-${day}T${time}`)
  } catch {
    throw new Error(`${field} is not a valid time`)
  }
}

/** `1,840.25 DR` is `-1840.25`. */
function toSigned(text = '', field: string): string {
  const [amount = '', side = ''] = text.split(' ')
  return find(signs, side.toUpperCase(), `CR or DR of ${field}`) + toAmount(amount)
}

/** Removes thousands separators only: the load rejects a decimal comma. */
function toAmount(text: string): string {
  return text.replace(/,(?=\d{3}(?!\d))/g, '')
}

/** An unknown code rejects the row. The message names the field, not the value, which may be personal data. */
function find<Value>(values: ReadonlyMap<string, Value>, key: string, field: string): Value {
  const value = values.get(key)
  if (value === undefined) throw new Error(`${field} is unknown`)
  return value
}
