import { foldCase } from '../contract/case-folding.ts'
import { epochNanoseconds } from '../contract/date-time.ts'
import type {
  AccountContact,
  BankingAccount,
  BankingTransaction,
  Customer,
  DirectDebit,
  EnergyAccount,
  EnergyBillingTransaction,
  EnergyInvoice,
  Product,
  RecordType,
  Restriction,
  ScheduledPayment,
} from '../contract/index.ts'
import { parseMembers, removeMembers } from '../contract/json-text.ts'
import { toProductContent } from '../platform/catalogue/product.ts'
import {
  toCustomerMatch,
  toShareableBankingAccount,
  toShareableEnergyAccount,
  undetailedFields,
} from '../provider/derived-records.ts'
import { createKey, transactionTime } from '../provider/entry-order.ts'
import { parseEpochDay, parseLocalTime } from '../provider/time-window.ts'
import type { AccountItem, Item, RemovalItem } from './writer.ts'

/** The envelope fields of a validated line. */
export interface Line {
  readonly id?: string
  readonly emails?: readonly string[]
  readonly accountId?: string
  readonly status?: string
  readonly effectiveTime?: string
  readonly origin?: string
  readonly unresolved?: boolean
  readonly correction?: boolean
  readonly was?: { readonly email: string; readonly name: string }
  readonly holders?: readonly { readonly customerId: string; readonly isOwned?: boolean }[]
}

/** Creates the item to store: the record's text, and the few values used to find, filter or sort it. */
type CreateItem = (line: Line, record: never, text: string) => Item

const itemFactories: Readonly<Record<RecordType, CreateItem>> = {
  customer: ({ emails = [] }, record: Customer, text) => ({
    type: 'customer',
    id: record.id,
    name: record.name,
    email: record.email,
    emails,
    record: text,
    match: JSON.stringify(toCustomerMatch(record)),
  }),
  'banking.account': (line, record: BankingAccount, text) => ({
    ...accountFields(line, record, record.isOwned),
    kind: 'banking',
    productCategory: record.productCategory,
    ...splitAtOwnership(text),
    detail: undefined,
    shareable: JSON.stringify(toShareableBankingAccount(record)),
  }),
  'banking.balance': (_line, record: { accountId: string }, text) => ({
    type: 'balance',
    accountId: record.accountId,
    record: text,
  }),
  'banking.transaction': (line, record: BankingTransaction, text) => {
    const ownTime = transactionTime(record)
    const time = ownTime ?? line.effectiveTime
    return {
      type: 'entry',
      list: 'transaction',
      accountId: record.accountId,
      id: record.transactionId,
      time: time === undefined ? undefined : epochNanoseconds(time),
      hasOwnTime: ownTime !== undefined,
      record: text,
      amount: record.amount,
      description: foldOptional(record.description),
      reference: foldOptional(record.reference),
    }
  },
  'banking.scheduledPayment': (_line, record: ScheduledPayment, text) => ({
    type: 'entry',
    list: 'payment',
    accountId: record.from.accountId,
    id: record.scheduledPaymentId,
    time: 0n,
    hasOwnTime: true,
    record: text,
  }),
  'banking.directDebit': (line, record: DirectDebit, text) => ({
    type: 'entry',
    list: 'debit',
    accountId: record.accountId,
    id: createKey(line.id, record),
    time: 0n,
    hasOwnTime: true,
    record: text,
  }),
  'energy.account': (line, record: EnergyAccount, text) => {
    const hidden = undetailedFields.filter((field) => field in record)
    return {
      ...accountFields(line, record),
      kind: 'energy',
      productCategory: undefined,
      head: text,
      tail: '',
      isOwnedText: undefined,
      detail: hidden.length > 0 ? removeMembers(text, hidden) : undefined,
      shareable: JSON.stringify(toShareableEnergyAccount(record)),
    }
  },
  'energy.invoice': (_line, record: EnergyInvoice, text) => ({
    type: 'entry',
    list: 'invoice',
    accountId: record.accountId,
    id: record.invoiceNumber,
    time: parseEpochDay(record.issueDate),
    hasOwnTime: true,
    record: text,
  }),
  'energy.billing': (line, record: EnergyBillingTransaction, text) => ({
    type: 'entry',
    list: 'billing',
    accountId: record.accountId,
    id: createKey(line.id, record),
    time: parseLocalTime(record.executionDateTime),
    hasOwnTime: true,
    record: text,
  }),
  'account.contact': (line, _record: AccountContact, text) => ({
    type: 'contact',
    accountId: line.accountId ?? '',
    status: line.status ?? 'OPEN',
    record: text,
  }),
  restriction: (_line, { accountId, customerId = '', reason, until }: Restriction, text) => ({
    type: 'restriction',
    ...(accountId === undefined
      ? { of: 'customer', id: customerId }
      : { of: 'account', id: accountId }),
    reason,
    until: until === undefined ? undefined : parseEpochMilliseconds(until),
    record: text,
  }),
  product: ({ origin }, record: Product, text) => ({
    type: 'product',
    id: record.product_id,
    record: text,
    content: toProductContent(record),
    lastUpdated: record.last_updated,
    origin,
  }),
}

export function toItem(type: RecordType, line: Line, record: unknown, text: string): Item {
  return markCorrection(itemFactories[type](line, record as never, text), line)
}

function markCorrection(item: Item, { correction = false }: Line): Item {
  return correction ? { ...item, isCorrection: true } : item
}

type Key = Readonly<Partial<Record<KeyField, string>>> & { readonly record?: unknown }
type KeyField =
  | 'id'
  | 'accountId'
  | 'customerId'
  | 'transactionId'
  | 'scheduledPaymentId'
  | 'invoiceNumber'
  | 'product_id'

/** What a deletion removes, and the field that identifies it in its account. */
const removals: Readonly<
  Record<RecordType, Pick<RemovalItem, 'of' | 'kind'> & { readonly field?: KeyField | 'record' }>
> = {
  customer: { of: 'customer', field: 'id' },
  'banking.account': { of: 'account', kind: 'banking' },
  'banking.balance': { of: 'balance' },
  'banking.transaction': { of: 'transaction', field: 'transactionId' },
  'banking.scheduledPayment': { of: 'payment', field: 'scheduledPaymentId' },
  'banking.directDebit': { of: 'debit', field: 'record' },
  'energy.account': { of: 'account', kind: 'energy' },
  'energy.invoice': { of: 'invoice', field: 'invoiceNumber' },
  'energy.billing': { of: 'billing', field: 'record' },
  'account.contact': { of: 'contact' },
  restriction: { of: 'restriction', field: 'customerId' },
  product: { of: 'product', field: 'product_id' },
}

export function toRemoval(type: RecordType, key: Key, line: Line): Item {
  const { field, ...removal } = removals[type]
  const id = field === 'record' ? createKey(key.id, key.record) : field && key[field]
  const account = key.accountId === undefined ? {} : { accountId: key.accountId }
  const person = line.was === undefined ? {} : { person: line.was }
  const rest = { ...account, ...person, ...removal, ...(id !== undefined && { id }) }
  return markCorrection({ type: 'removal', ...rest }, line)
}

/** Rounded up, so that a clock in milliseconds reaches it no earlier. */
function parseEpochMilliseconds(time: string): bigint {
  const instant = Temporal.Instant.fromEpochNanoseconds(epochNanoseconds(time))
  const rounded = instant.round({ smallestUnit: 'millisecond', roundingMode: 'ceil' })
  return BigInt(rounded.epochMilliseconds)
}

function foldOptional(text: string | undefined): string | undefined {
  return text === undefined ? undefined : foldCase(text)
}

/** A holder that does not state `isOwned` has that of the record, which owns the account unless it says otherwise. */
function accountFields(
  line: Line,
  record: BankingAccount | EnergyAccount,
  isOwnedDefault: boolean = true,
) {
  const { accountId, openStatus, creationDate } = record
  return {
    type: 'account',
    id: accountId,
    holders: (line.holders ?? []).map(({ customerId, isOwned = isOwnedDefault }) => ({
      customerId,
      isOwned,
    })),
    isOpen: openStatus !== 'CLOSED',
    created: creationDate === undefined ? undefined : epochNanoseconds(creationDate),
  } as const
}

/** Inserted before the value if the record has no `isOwned` field. */
export const addedOwnership = ',"isOwned":'

/** Splits the text around the value of `isOwned`; without one, the field is added at the end. */
function splitAtOwnership(text: string): Pick<AccountItem, 'head' | 'tail' | 'isOwnedText'> {
  const member = parseMembers(text).find(({ name }) => name === 'isOwned')
  if (!member) {
    const end = text.lastIndexOf('}')
    return { head: text.slice(0, end) + addedOwnership, tail: '}', isOwnedText: undefined }
  }
  return {
    head: text.slice(0, member.valueStart),
    tail: text.slice(member.end),
    isOwnedText: text.slice(member.valueStart, member.end),
  }
}
