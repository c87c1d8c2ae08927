import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import fc, { type Arbitrary } from 'fast-check'
import { formatLine } from '../../src/load/dump.ts'
import type { LineError } from '../../src/load/writer.ts'
import { dumpProvider } from '../../src/storage/open.ts'
import { describeOn, newDatabase, runSql } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { propertyRuns } from '../support/properties.ts'
import { loadAt } from './bank.ts'
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
  '2025-01-01T00:00:00.000000001Z',
  '1969-12-31T23:59:59Z',
  '2025-06-01T00:00:00Z',
)
const mark = fc.constantFrom('1.00', '2.00')
const holders = fc.uniqueArray(fc.record({ customerId: customer, isOwned: fc.boolean() }), {
  maxLength: 3,
  selector: ({ customerId }) => customerId,
})

const person = fc
  .record({
    id: customer,
    name: fc.constantFrom('Ana', 'Ana', 'Ana', 'Bo'),
    email: fc.constantFrom('a', 'A', 'b'),
  })
  .map(({ id, name, email }) => line('customer', { id, name, email: `${email}@example.com` }))
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
)

/** A load that starts with all customers and accounts usually succeeds. */
const baseLines = [
  ...['c1', 'c2', 'c3'].map((id) => line('customer', { id, name: 'Ana', email: 'a@example.com' })),
  ...['x1', 'x2'].map((id) =>
    line('banking.account', { accountId: id, users: [{ id: 1 }] }, withHolders(['c1', 'c2'])),
  ),
  line('energy.account', { accountId: 'x3' }, withHolders(['c3'])),
]

const lines: Arbitrary<string[]> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: person },
    { weight: 1, arbitrary: banking },
    { weight: 1, arbitrary: energy },
    { weight: 4, arbitrary: transaction },
    { weight: 4, arbitrary: undated },
    { weight: 3, arbitrary: payment },
    { weight: 3, arbitrary: rest },
    { weight: 4, arbitrary: deletion },
  ),
  { maxLength: 12 },
)
const batch = fc.option(fc.constantFrom(4, 9), { nil: undefined })
const loads = fc.array(fc.record({ lines, hasBaseLines: fc.boolean(), batch }), {
  minLength: 1,
  maxLength: 5,
})

describeOn('postgres', 'a load', () => {
  it('has the same errors and the same dump as on SQLite', async (t) => {
    const postgres = await newDatabase(t)
    const folder = await temporaryFolder(t)
    let runs = 0
    let succeeded = 0
    let total = 0

    await fc.assert(
      fc.asyncProperty(loads, async (loads) => {
        runs += 1
        const sqlite = `sqlite:${join(folder, `${runs}.db`)}`
        await runSql(
          'truncate customer, account, holder, balance, contact, entry, product, product_version',
          postgres,
        )
        for (const [index, { lines, hasBaseLines, batch }] of loads.entries()) {
          const pieces = [...(hasBaseLines ? baseLines : []), ...lines].map((each) =>
            Buffer.from(`${each}\n`),
          )
          const at = Temporal.Instant.from('2026-01-01T00:00:00Z').add({ hours: index })
          const batching = batch === undefined ? {} : { batch }
          const errors = [
            await loadAt(postgres, at, pieces, batching),
            await loadAt(sqlite, at, pieces, batching),
          ] as const

          assert.deepEqual(formatErrors(errors[0]), formatErrors(errors[1]))
          assert.deepEqual(await dumpLines(postgres), await dumpLines(sqlite))
          await assertOrdinals(postgres)
          total += 1
          if (errors[0].length === 0) succeeded += 1
        }
      }),
      propertyRuns(8),
    )
    assert.ok(succeeded > total / 3, `only ${succeeded} of ${total} loads succeeded`)
  })
})

function withHolders(customers: readonly string[]): object {
  return { holders: customers.map((customerId) => ({ customerId })) }
}

function formatErrors(errors: readonly LineError[]): string[] {
  return errors.map(({ line, path, reason }) => `${line} ${path} ${reason}`)
}

async function dumpLines(database: string): Promise<string[]> {
  return (await Array.fromAsync(dumpProvider(database))).map(formatLine)
}

/** Ordinals start at 1 in every list, by time and then by descending id. */
async function assertOrdinals(database: string): Promise<void> {
  const wrong = await runSql(
    `select * from (
       select account, list, id, ordinal,
         row_number() over (partition by account, list order by time, id desc) as place
       from entry) e where ordinal <> place`,
    database,
  )
  assert.deepEqual(wrong, [])
}
