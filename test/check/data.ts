import { examples } from '../../src/contract/index.ts'
import { restriction } from '../support/lines.ts'
import type { Line } from '../support/load.ts'

/** Two customers with the data that the checks need, up to now, in as few records as possible. */
export const ana = 'c-ana'
export const ben = 'c-ben'
/** What the provider refuses to share. The accounts are of ana. */
export const restricted = {
  blockedAccount: 'r-blocked',
  protectedAccount: 'r-protected',
  restrictedCustomer: 'c-restricted',
} as const
export const blockedEnergyAccount = 'r-energy'
export const anaEmail = 'ana.check@example.com'

type Fields = Record<string, unknown>

const now = Temporal.Now.zonedDateTimeISO('UTC').with({
  hour: 12,
  minute: 0,
  second: 0,
  millisecond: 0,
  microsecond: 0,
  nanosecond: 0,
})
const monthsAgo = (months: number, hours = 0) =>
  now.with({ day: 10 }).subtract({ months }).subtract({ hours })
const instant = (time: Temporal.ZonedDateTime) => time.toInstant().toString()
const wallClock = (time: Temporal.ZonedDateTime) =>
  time.toPlainDateTime().toString({ smallestUnit: 'second' })
const date = (time: Temporal.ZonedDateTime) => time.toPlainDate().toString()

function example(name: string): Fields {
  return { ...(examples[name]?.[0] as Fields) }
}

export function dataLines(): Line[] {
  return [
    customer(ana, anaEmail, 'Ana'),
    customer(ben, 'ben.check@example.com', 'Ben'),
    ...bank(
      'a-1',
      { [ana]: true },
      { openStatus: 'OPEN', productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS' },
    ),
    ...bank(
      'a-2',
      { [ana]: false, [ben]: true },
      { openStatus: 'CLOSED', productCategory: 'PERS_LOANS' },
    ),
    ...bank('a-3', { [ana]: true }, { openStatus: 'CLOSED', productCategory: 'TERM_DEPOSITS' }),
    ...bank(
      'a-4',
      { [ana]: false, [ben]: true },
      { openStatus: 'OPEN', productCategory: 'PERS_LOANS' },
    ),
    ...bank('b-1', { [ben]: true }, { openStatus: 'OPEN', productCategory: 'CRED_AND_CHRG_CARDS' }),
    ...restrictedLines(),
    ...energy('e-1', [ana], 'OPEN'),
    ...energy('e-2', [ana], 'CLOSED'),
    ...energy('f-1', [ben], 'OPEN'),
    ...transactions('a-1'),
    ...history('e-1', 30),
    ...history('e-2', 3),
    ...history('f-1', 2),
    ...['a-2', 'a-3', 'a-4', 'b-1'].map((id) =>
      transaction(id, 't-1', { postingDateTime: instant(monthsAgo(2)) }),
    ),
  ]
}

function restrictedLines(): Line[] {
  const { blockedAccount, protectedAccount, restrictedCustomer } = restricted
  const fields = { openStatus: 'OPEN', productCategory: 'PERS_LOANS' }
  return [
    ...bank(blockedAccount, { [ana]: true }, fields),
    ...bank(protectedAccount, { [ana]: true }, fields),
    ...energy(blockedEnergyAccount, [ana], 'OPEN'),
    customer(restrictedCustomer, 'cat.check@example.com', 'Cat'),
    restriction({ accountId: blockedAccount }, 'blocked'),
    restriction({ accountId: blockedEnergyAccount }, 'suspended'),
    restriction({ accountId: protectedAccount }, 'harm'),
    restriction({ customerId: restrictedCustomer }, 'suspended'),
  ]
}

function customer(id: string, email: string, name: string): Line {
  return { type: 'customer', record: { ...example('Customer'), id, email, name } }
}

function bank(accountId: string, holders: Record<string, boolean>, fields: Fields): Line[] {
  const { isOwned: _, ...record } = example('BankingAccount')
  const payment = example('ScheduledPayment')
  const users = [
    { id: 1, email: anaEmail, isAccountHolder: true },
    { id: 2, email: 'ben.check@example.com', isAccountHolder: true },
  ]
  return [
    {
      type: 'banking.account',
      holders: Object.entries(holders).map(([customerId, isOwned]) => ({ customerId, isOwned })),
      record: { ...record, accountId, users, ...fields },
    },
    { type: 'banking.balance', record: { ...example('BankingBalance'), accountId } },
    { type: 'account.contact', accountId, status: 'OPEN', record: example('AccountContact') },
    ...[1, 2].map((index) => ({
      type: 'banking.directDebit',
      id: `${accountId}-d${index}`,
      record: { ...example('DirectDebit'), accountId, lastDebitAmount: `${index}.50` },
    })),
    ...[1, 2].map((index) => ({
      type: 'banking.scheduledPayment',
      // The same ids in every account.
      record: { ...payment, scheduledPaymentId: `p${index}`, from: { accountId } },
    })),
  ]
}

function energy(accountId: string, holders: readonly string[], openStatus: string): Line[] {
  return [
    {
      type: 'energy.account',
      holders: holders.map((customerId) => ({ customerId })),
      record: { ...example('EnergyAccount'), accountId, openStatus },
    },
    { type: 'account.contact', accountId, status: 'OPEN', record: example('AccountContact') },
  ]
}

function transaction(accountId: string, transactionId: string, fields: Fields): Line {
  const record = {
    ...example('BankingTransaction'),
    accountId,
    transactionId,
    description: `Shop ${transactionId}`,
    ...fields,
  }
  return { type: 'banking.transaction', record }
}

/** Equal times, offsets, special characters, amounts beyond the precision of floats, and times around every default bound. */
function transactions(accountId: string): Line[] {
  const at = (months: number, fields: Fields, id: string) =>
    transaction(accountId, id, { postingDateTime: instant(monthsAgo(months)), ...fields })
  return [
    ...Array.from({ length: 20 }, (_, index) =>
      at(
        index + 1,
        { amount: `${index % 2 ? '' : '-'}${index + 10}.25`, reference: `Invoice${index}` },
        `m-${index + 1}`,
      ),
    ),
    ...[1, 2, 3].map((index) =>
      at(5, { postingDateTime: instant(monthsAgo(5, 7)), amount: `-${index}.00` }, `tie-${index}`),
    ),
    at(0, { postingDateTime: '2023-08-01T12:00:00Z' }, 'before-leap-day'),
    at(3, { description: '50% off at The Shop', reference: 'under_score' }, 'odd-1'),
    // Executed long before it was posted, which does not change its effective time.
    at(
      4,
      {
        executionDateTime: instant(monthsAgo(9)),
        description: 'back\\slash and "quotes"',
        reference: 'a.*b',
      },
      'odd-2',
    ),
    at(6, { amount: '90071992547409.93', description: 'Large' }, 'large-1'),
    at(7, { amount: '90071992547409.94', description: 'Large' }, 'large-2'),
    // With another offset: its order as text differs.
    at(
      8,
      {
        postingDateTime: monthsAgo(8)
          .withTimeZone('+10:00')
          .add({ hours: 16 })
          .toString({ timeZoneName: 'never' }),
      },
      'zone-1',
    ),
    at(
      8,
      { postingDateTime: monthsAgo(8).add({ hours: 18 }).toString({ timeZoneName: 'never' }) },
      'zone-2',
    ),
    at(
      0,
      {
        postingDateTime: undefined,
        status: 'PENDING',
        executionDateTime: instant(now.add({ days: 20 })),
      },
      'future',
    ),
  ]
}

function history(accountId: string, count: number): Line[] {
  const [usage, payment] = examples['EnergyBillingTransaction'] as [Fields, Fields]
  return Array.from({ length: count }, (_, index) => {
    const time = index === 0 ? now.add({ days: 20 }) : monthsAgo(index)
    const record = {
      ...(index % 2 ? usage : payment),
      accountId,
      executionDateTime: wallClock(time),
    }
    return [
      {
        type: 'energy.invoice',
        record: {
          ...example('EnergyInvoice'),
          accountId,
          invoiceNumber: `i-${index}`,
          issueDate: date(time),
        },
      },
      { type: 'energy.billing', id: `${accountId}-${index}`, record },
    ]
  }).flat()
}
