import type { RecordType } from '../contract/index.ts'
import type { EntryList } from '../provider/store.ts'
import type { DumpedItem, Item } from './writer.ts'

export const entryTypes = {
  transaction: 'banking.transaction',
  payment: 'banking.scheduledPayment',
  debit: 'banking.directDebit',
  invoice: 'energy.invoice',
  billing: 'energy.billing',
} as const satisfies Record<EntryList, RecordType>

const otherTypes = {
  customer: 'customer',
  balance: 'banking.balance',
  contact: 'account.contact',
  restriction: 'restriction',
  product: 'product',
} as const

/** The type of the line that an item was created from. */
export function recordTypeOf(item: Item): RecordType {
  if (item.type !== 'removal') return recordTypeOfDumped(item)
  if (item.of === 'account') return `${item.kind ?? 'banking'}.account`
  return item.of in entryTypes
    ? entryTypes[item.of as EntryList]
    : otherTypes[item.of as keyof typeof otherTypes]
}

/** The type of the line that a dump has for an item. */
export function recordTypeOfDumped(
  item: Exclude<DumpedItem | Item, { type: 'removal' }>,
): RecordType {
  if (item.type === 'account') return `${item.kind}.account`
  return item.type === 'entry' ? entryTypes[item.list] : otherTypes[item.type]
}
