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

const map: MapRow<Row> = (row, { file }) => find(maps, basename(file))(row)
export default map

function mapCustomer(row: Row): Line {
  const { CUST_NO = '', SURNAME = '', GIVEN_NAME = '', EMAIL = '', MOBILE = '' } = row
  const familyName = SURNAME.toLowerCase().replace(/\b\p{L}/gu, (letter) => letter.toUpperCase())
  return {
    type: 'customer',
    record: {
      id: CUST_NO,
      name: `${GIVEN_NAME} ${familyName}`,
      email: EMAIL.toLowerCase(),
      givenName: GIVEN_NAME,
      familyName,
      phoneNumber: MOBILE.replace(/^0/, '+61'),
      updatedAt: toInstant(...splitPair(row['LAST_CHANGED'])),
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
  const { ACCT_NO = '', PROD_CD = '', NICKNAME = '', OPEN_DT = '', STATUS } = row
  const holders = find(holdersByAccount, ACCT_NO)
  const accountId = ACCT_NO
  return [
    {
      type: 'banking.account',
      holders: holders.map(({ customer, role }) => ({
        customerId: customer,
        isOwned: role !== 'S',
      })),
      record: {
        accountId,
        creationDate: toInstant(OPEN_DT, '000000'),
        ...(NICKNAME !== '' && { nickname: NICKNAME }),
        openStatus: STATUS === 'C' ? 'CLOSED' : 'OPEN',
        ...find(products, PROD_CD),
        ...(holders.length > 1 && {
          users: holders.map(({ customer, role }) => ({
            id: Number(customer),
            isAccountHolder: role !== 'S',
          })),
        }),
      },
    },
    {
      type: 'banking.balance',
      record: {
        accountId,
        currentBalance: toSigned(row['LEDGER_BAL']),
        availableBalance: toSigned(row['AVAIL_BAL']),
      },
    },
  ]
}

function mapTransaction(row: Row): Line {
  const { ACCT_NO = '', SEQ = '', TRAN_CD = '', NARRATIVE = '', DEBIT = '', CREDIT = '' } = row
  const isPending = row['PENDING'] === 'Y'
  const time = toInstant(row['POST_DT'] ?? '', row['POST_TM'] ?? '')
  return {
    type: 'banking.transaction',
    record: {
      accountId: ACCT_NO,
      transactionId: `${ACCT_NO}-${SEQ.padStart(6, '0')}`,
      type: find(transactionTypes, TRAN_CD),
      status: isPending ? 'PENDING' : 'POSTED',
      description: NARRATIVE,
      // A pending transaction is not posted yet: its time is that of the execution.
      ...(isPending ? { executionDateTime: time } : { postingDateTime: time }),
      amount: DEBIT === '' ? CREDIT : `-${DEBIT}`,
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

/** `31/10/2026` and `093000`, local time, as an RFC 3339 date-time in UTC. */
function toInstant(date: string, time: string): string {
  const [day, month, year] = date.split('/')
  const [hours, minutes, seconds] = time.match(/\d\d/g) ?? []
  const local = Temporal.PlainDateTime.from(
    `${year}-${month}-${day}T${hours}:${minutes}:${seconds}`,
  )
  return local.toZonedDateTime(zone).toInstant().toString()
}

function splitPair(text = ''): [string, string] {
  const [date = '', time = ''] = text.split(' ')
  return [date, time]
}

/** `1,840.25 DR` is `-1840.25`. */
function toSigned(text = ''): string {
  const [amount = '', side] = text.replaceAll(',', '').split(' ')
  return side === 'DR' ? `-${amount}` : amount
}

/** An unknown code rejects the row. */
function find<Value>(values: ReadonlyMap<string, Value>, key: string): Value {
  const value = values.get(key)
  if (value === undefined) throw new Error(`unknown: ${key}`)
  return value
}
