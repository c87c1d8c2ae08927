import { isDeepStrictEqual } from 'node:util'
import fc, { type Arbitrary } from 'fast-check'
import type { Static, TSchema } from 'typebox'
import { values } from '../../src/contract/enumerations.ts'
import {
  BankingAccountV3,
  type RecordType,
  recordTypes,
  restrictionReasons,
  upgradeAccount,
} from '../../src/contract/index.ts'
import { Timestamp } from '../../src/contract/scalars.ts'
import { createRandom } from '../../src/generate/random.ts'
import { anyFullOf, anyOf } from './arbitrary.ts'

type Of<Type extends RecordType> = Static<(typeof recordTypes)[Type]>
type Holders = ReadonlyMap<string, boolean>

/** A record with the text that a load reads. */
export interface Written<Type extends RecordType> {
  readonly record: Of<Type>
  readonly text: string
}

export interface AnyAccount {
  readonly id: string
  /** The customers who see the account, and whether each owns it. */
  readonly holders: Holders
  readonly contact: Written<'account.contact'>
  readonly status: string
}

export interface AnyBankingAccount extends AnyAccount {
  /** Version 4. */
  readonly record: Of<'banking.account'>
  /** The text that B1 serves; undefined if the account was loaded in version 3. */
  readonly textFor: ((isOwned: boolean) => string) | undefined
  readonly balance: Written<'banking.balance'>
  readonly transactions: readonly Written<'banking.transaction'>[]
  readonly payments: readonly Written<'banking.scheduledPayment'>[]
  readonly debits: readonly Written<'banking.directDebit'>[]
}

export interface AnyEnergyAccount extends AnyAccount, Written<'energy.account'> {
  readonly invoices: readonly Written<'energy.invoice'>[]
  readonly billing: readonly Written<'energy.billing'>[]
}

/** Random valid records of every type, as the lines of a load, and what they say. */
export interface AnyBank {
  readonly lines: readonly string[]
  /** The texts of records in a dump. A product without `last_updated` gets one. */
  readonly stored: readonly string[]
  readonly customers: readonly Written<'customer'>[]
  readonly banking: readonly AnyBankingAccount[]
  readonly energy: readonly AnyEnergyAccount[]
  /** Each of a customer and account of its own, with the same id. */
  readonly restrictions: readonly Of<'restriction'>[]
  readonly products: readonly Of<'product'>[]
}

const customerCount = 3
const listOf = <Value>(value: Arbitrary<Value>, length: number) =>
  fc.array(value, { minLength: length, maxLength: length })
/** Some records have every field, so that a bank has all of them. */
const draw = <T extends TSchema>(schema: T) => fc.oneof(anyOf(schema), anyFullOf(schema))
const someOf = <Type extends RecordType>(type: Type) =>
  fc.array(draw(recordTypes[type]), { maxLength: 4 }) as Arbitrary<Of<Type>[]>

const anyHolders = fc.array(
  fc.record({ customer: fc.nat(customerCount - 1), isOwned: fc.option(fc.boolean()) }),
  { minLength: 1, maxLength: customerCount },
)
const contact = {
  holders: anyHolders,
  contact: draw(recordTypes['account.contact']),
  status: fc.constantFrom(...values.contactStatus),
}
const anyBanking = <Account>(account: Arbitrary<Account>) =>
  fc.record({
    account,
    ...contact,
    balance: draw(recordTypes['banking.balance']),
    transactions: someOf('banking.transaction'),
    payments: someOf('banking.scheduledPayment'),
    debits: someOf('banking.directDebit'),
  })

const drawnBank = fc.record({
  customers: listOf(draw(recordTypes.customer), customerCount),
  banking: listOf(anyBanking(draw(recordTypes['banking.account'])), 12),
  earlier: listOf(anyBanking(draw(BankingAccountV3)), 6),
  energy: listOf(
    fc.record({
      account: draw(recordTypes['energy.account']),
      ...contact,
      invoices: someOf('energy.invoice'),
      billing: someOf('energy.billing'),
    }),
    6,
  ),
  restrictions: listOf(
    fc.record({
      field: fc.constantFrom('accountId', 'customerId'),
      reason: fc.constantFrom(...restrictionReasons),
      until: fc.option(anyOf(Timestamp), { nil: undefined }),
    }),
    4,
  ),
  products: listOf(draw(recordTypes.product), 8),
})

/** The bank of a seed. */
export function drawBank(seed: number): AnyBank {
  const [drawn] = fc.sample(drawnBank, { seed, numRuns: 1 })
  if (!drawn) throw new Error('nothing was drawn')
  const lines: string[] = []
  const stored: string[] = []

  /** Adds the line of a record, written in some way, and returns the record. */
  function write<Type extends RecordType>(
    type: Type,
    record: Of<Type>,
    envelope: object = {},
  ): Written<Type> {
    const text = spell(record, seed + lines.length)
    const start = JSON.stringify({ type, ...envelope })
    lines.push(`${start.slice(0, -1)},"record":${text}}`)
    stored.push(text)
    return { record, text }
  }

  function writeAll<Type extends RecordType>(
    type: Type,
    records: readonly Of<Type>[],
    identify: (record: Of<Type>, index: number) => Of<Type>,
  ): Written<Type>[] {
    return records.map((record, index) => {
      const isKeyed = type !== 'banking.directDebit' && type !== 'energy.billing'
      return write(type, identify(record, index), isKeyed ? {} : { id: `key ${index}` })
    })
  }

  const customers = drawn.customers.map((record, index) =>
    write('customer', { ...record, id: `customer ${index}` }),
  )

  function writeContact(
    accountId: string,
    one: { contact: Of<'account.contact'>; status: string },
  ) {
    const { status } = one
    return { contact: write('account.contact', one.contact, { accountId, status }), status }
  }

  const banking = [...drawn.banking, ...drawn.earlier].map((one, index): AnyBankingAccount => {
    const id = `bank ${index}`
    const isEarlier = index >= drawn.banking.length
    const loaded = { ...one.account, accountId: id } as Of<'banking.account'>
    const { holders, envelope } = toHolders(one.holders, loaded)
    const lineSeed = seed + lines.length
    write('banking.account', loaded, envelope)
    const record = isEarlier ? upgradeAccount(loaded as unknown as BankingAccountV3) : loaded
    // What was converted has no text of its own.
    if (!isDeepStrictEqual(record, loaded)) stored[stored.length - 1] = JSON.stringify(record)
    return {
      id,
      holders,
      record,
      textFor: isEarlier ? undefined : (isOwned) => spellOwned(loaded, isOwned, lineSeed),
      ...writeContact(id, one),
      balance: write('banking.balance', { ...one.balance, accountId: id }),
      transactions: writeAll('banking.transaction', one.transactions, (record, number) => ({
        ...record,
        accountId: id,
        transactionId: `transaction ${number}`,
      })),
      payments: writeAll('banking.scheduledPayment', one.payments, (record, number) => ({
        ...record,
        from: { accountId: id },
        scheduledPaymentId: `payment ${number}`,
      })),
      debits: writeAll('banking.directDebit', one.debits, (record) => ({
        ...record,
        accountId: id,
      })),
    }
  })

  const energy = drawn.energy.map((one, index): AnyEnergyAccount => {
    const accountId = `energy ${index}`
    const loaded = { ...one.account, accountId }
    const { holders, envelope } = toHolders(one.holders, loaded)
    return {
      id: accountId,
      holders,
      ...write('energy.account', loaded, envelope),
      ...writeContact(accountId, one),
      invoices: writeAll('energy.invoice', one.invoices, (record, number) => ({
        ...record,
        accountId,
        invoiceNumber: `invoice ${number}`,
      })),
      billing: writeAll('energy.billing', one.billing, (record) => ({ ...record, accountId })),
    }
  })

  const restrictions = drawn.restrictions.map(({ field, reason, until }, index) => {
    const id = `restricted ${index}`
    write('customer', { id, name: id })
    write('banking.account', { accountId: id }, { holders: [{ customerId: id }] })
    return write('restriction', { reason, ...(until && { until }), [field]: id }).record
  })

  const products = drawn.products.map((record, index) => {
    const identified = { ...record, product_id: `product ${index}` }
    write('product', identified)
    if (record.last_updated === undefined) stored.pop()
    return identified
  })
  return { lines, stored, customers, banking, energy, restrictions, products }
}

/** An account without users has one holder. A holder without `isOwned` has that of the record, which is true by default. */
function toHolders(
  drawn: readonly { readonly customer: number; readonly isOwned: boolean | null }[],
  {
    users = [],
    isOwned = true,
  }: { readonly users?: readonly unknown[]; readonly isOwned?: boolean },
): { holders: Holders; envelope: object } {
  const byCustomer = new Map(drawn.map((one) => [`customer ${one.customer}`, one.isOwned]))
  const kept = [...byCustomer].slice(0, Math.max(users.length, 1))
  return {
    holders: new Map(kept.map(([id, isOwnedByHolder]) => [id, isOwnedByHolder ?? isOwned])),
    envelope: {
      holders: kept.map(([customerId, isOwnedByHolder]) => ({
        customerId,
        ...(isOwnedByHolder !== null && { isOwned: isOwnedByHolder }),
      })),
    },
  }
}

/** The text with another value of `isOwned`, which is added at the end if the record does not have it. */
function spellOwned(record: object, isOwned: boolean, seed: number): string {
  if ('isOwned' in record) return spell({ ...record, isOwned }, seed)
  const text = spell(record, seed)
  return `${text.slice(0, text.lastIndexOf('}'))},"isOwned":${isOwned}}`
}

/** JSON with whitespace, escapes and spellings of numbers that depend on the seed. */
function spell(value: unknown, seed: number): string {
  const random = createRandom('spelling', seed)
  const space = () => (random.chance(0.05) ? random.pick([' ', '\t', '  ']) : '')
  const spellText = (text: string) => {
    const plain = JSON.stringify(text)
    if (plain.includes('\\')) return plain
    return plain.replaceAll(/[a-z/]/g, (letter) =>
      random.chance(0.03) ? `\\u00${letter.charCodeAt(0).toString(16)}` : letter,
    )
  }
  const spellValue = (one: unknown): string => {
    if (typeof one === 'string') return spellText(one)
    if (typeof one === 'number')
      return `${one}${Number.isInteger(one) && random.chance(0.2) ? '.0' : ''}`
    if (typeof one !== 'object' || one === null) return JSON.stringify(one)
    const parts = Array.isArray(one)
      ? one.map((element) => `${space()}${spellValue(element)}${space()}`)
      : Object.entries(one).map(
          ([name, content]) =>
            `${space()}"${name}"${space()}:${space()}${spellValue(content)}${space()}`,
        )
    return Array.isArray(one) ? `[${parts}]` : `{${parts}}`
  }
  return spellValue(value)
}
