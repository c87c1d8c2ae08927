import fc, { type Arbitrary } from 'fast-check'
import { line, put, removal } from './lines.ts'

const customer = fc.constantFrom('c1', 'c2', 'c3')
/** Mostly two banking accounts and one energy account. */
const account = fc.constantFrom('x1', 'x2', 'x3')
const bankAccount = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('x1', 'x2') },
  { weight: 1, arbitrary: fc.constant('x3') },
)
const energyAccount = fc.oneof(
  { weight: 9, arbitrary: fc.constant('x3') },
  { weight: 1, arbitrary: fc.constantFrom('x1', 'x2') },
)
const id = fc.constantFrom('1', '2', 'é', '🦉', '\u00ff')
const time = fc.constantFrom(
  '2025-01-01T00:00:00Z',
  '2025-01-01T10:00:00+10:00',
  '2025-01-01T00:00:00.000000001Z',
  '1969-12-31T23:59:59Z',
  '2025-06-01T00:00:00Z',
  '2100-06-01T00:00:00Z',
)
const mark = fc.constantFrom('1.00', '2.00')
const restricted = fc.oneof(
  account.map((accountId) => ({ accountId })),
  customer.map((customerId) => ({ customerId })),
)
const reason = fc.constantFrom('harm', 'blocked', 'suspended')
const until = fc.constantFrom(undefined, '2020-01-01T00:00:00Z', '2100-01-01T00:00:00+10:00')
const holders = fc.uniqueArray(fc.record({ customerId: customer, isOwned: fc.boolean() }), {
  maxLength: 3,
  selector: ({ customerId }) => customerId,
})

const twoEmails = ['b@example.com', 'f@example.com']
const person = fc
  .record({
    id: customer,
    name: fc.constantFrom('Ana', 'Ana', 'Ana', 'Bo'),
    email: fc.constantFrom('a', 'A', 'b'),
    emails: fc.constantFrom(undefined, undefined, ['F@example.com'], twoEmails),
  })
  .map(({ id, name, email, emails }) =>
    line('customer', { id, name, email: `${email}@example.com` }, { emails }),
  )
const banking = fc
  .record({ account: bankAccount, holders, mark })
  .map(({ account, holders, mark }) =>
    line(
      'banking.account',
      { accountId: account, nickname: mark, users: [{ id: 1 }] },
      { holders },
    ),
  )
const energy = fc
  .record({ account: energyAccount, holders })
  .map(({ account, holders }) =>
    line('energy.account', { accountId: account, users: [{ id: 'u' }] }, { holders }),
  )
const transaction = fc
  .record({ account: bankAccount, id, time, mark })
  .map(({ account, id, time, mark }) =>
    line('banking.transaction', {
      ...{ accountId: account, transactionId: id, status: 'POSTED', amount: mark },
      postingDateTime: time,
    }),
  )
const undated = fc
  .record({ account: bankAccount, id, time: fc.option(time, { nil: undefined }), mark })
  .map(({ account, id, time, mark }) =>
    line(
      'banking.transaction',
      { accountId: account, transactionId: id, status: 'PENDING', amount: mark },
      time === undefined ? {} : { effectiveTime: time },
    ),
  )
const payment = fc
  .record({ account: bankAccount, id, mark })
  .map(({ account, id, mark }) => put.payment(account, id, { nickname: mark }))
const rest = fc.oneof(
  fc.tuple(bankAccount, mark).map(([account, currency]) => put.balance(account, { currency })),
  account.map((account) => put.contact(account)),
  fc.tuple(bankAccount, id).map(([account, id]) => put.debit(account, id)),
  fc.tuple(energyAccount, id).map(([account, id]) => put.invoice(account, id)),
  fc.tuple(energyAccount, id).map(([account, id]) => put.billing(account, id)),
  id.map((id) => put.product(id)),
  fc
    .tuple(restricted, reason, until)
    .map(([of, reason, until]) => put.restriction(of, { reason, until })),
)
const deletion = fc.oneof(
  customer.map((id) => removal('customer', { id })),
  bankAccount.map((accountId) => removal('banking.account', { accountId })),
  energyAccount.map((accountId) => removal('energy.account', { accountId })),
  account.map((accountId) => removal('banking.balance', { accountId })),
  account.map((accountId) => removal('account.contact', { accountId })),
  fc
    .tuple(account, id)
    .map(([accountId, id]) =>
      removal('banking.scheduledPayment', { accountId, scheduledPaymentId: id }),
    ),
  fc
    .tuple(account, id)
    .map(([accountId, id]) => removal('banking.transaction', { accountId, transactionId: id })),
  fc.tuple(account, id).map(([accountId, id]) => removal('banking.directDebit', { accountId, id })),
  id.map((id) => removal('product', { product_id: id })),
  restricted.map((of) => removal('restriction', of)),
)

/** What the random lines refer to. A load that starts with these usually succeeds. */
export const baseLines = [
  ...['c1', 'c2', 'c3'].map((id) => line('customer', { id, name: 'Ana', email: 'a@example.com' })),
  ...['x1', 'x2'].map((id) =>
    line('banking.account', { accountId: id, users: [{ id: 1 }] }, withHolders(['c1', 'c2'])),
  ),
  line('energy.account', { accountId: 'x3' }, withHolders(['c3'])),
]

/** Lines of every type with few keys, so that many of them are about the same record. */
const randomLine = fc.oneof(
  { weight: 2, arbitrary: person },
  { weight: 1, arbitrary: banking },
  { weight: 1, arbitrary: energy },
  { weight: 4, arbitrary: transaction },
  { weight: 4, arbitrary: undated },
  { weight: 3, arbitrary: payment },
  { weight: 3, arbitrary: rest },
  { weight: 4, arbitrary: deletion },
)

/** Some of the lines with data of customers are marked. */
export const randomLines: Arbitrary<string[]> = fc.array(
  fc
    .tuple(randomLine, fc.boolean())
    .map(([line, isCorrection]) =>
      isCorrection && !/^.type.:.(restriction|product)/.test(line.slice(1))
        ? `${line.slice(0, -1)},"correction":true}`
        : line,
    ),
  { maxLength: 12 },
)

function withHolders(customers: readonly string[]): object {
  return { holders: customers.map((customerId) => ({ customerId })) }
}
