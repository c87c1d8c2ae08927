import type { RecordType } from '../contract/index.ts'
import { parseMembers } from '../contract/json-text.ts'
import { parseExplicitKey } from '../provider/entry-order.ts'
import { entryTypes } from './record-type.ts'
import { addedOwnership } from './to-item.ts'
import type { DumpedItem, RemovalItem } from './writer.ts'

/** Formats the line that a load would read to create the item. */
export function formatLine(item: DumpedItem): string {
  switch (item.type) {
    case 'customer':
      return line('customer', item.emails.length > 0 ? { emails: item.emails } : {}, item.record)
    case 'account':
      return line(
        `${item.kind}.account`,
        { holders: item.holders, ...reference(item) },
        accountRecord(item),
      )
    case 'balance':
      return line('banking.balance', reference(item), item.record)
    case 'contact':
      return line(
        'account.contact',
        { accountId: item.accountId, status: item.status, ...reference(item) },
        item.record,
      )
    case 'entry':
      return line(
        entryTypes[item.list],
        { ...entryEnvelope(item), ...reference(item) },
        item.record,
      )
    case 'restriction':
      return line('restriction', reference(item), item.record)
    case 'product':
      return line('product', { origin: item.origin ?? undefined }, withLastUpdated(item))
    case 'removal':
      return formatRemoval(item)
  }
}

function formatRemoval({ kind, accountId, id, person }: RemovalItem): string {
  if (kind) return JSON.stringify({ type: `${kind}.account`, delete: { accountId } })
  return JSON.stringify({ type: 'customer', delete: { id }, was: person })
}

function reference({ isUnresolved }: { readonly isUnresolved: boolean }): object {
  return isUnresolved ? { unresolved: true } : {}
}

/** Inserts the record's stored text into the line without parsing it, so that every byte is preserved. */
function line(type: RecordType, envelope: object, record: string): string {
  const start = JSON.stringify({ type, ...envelope })
  return record === '' ? start : `${start.slice(0, -1)},"record":${record}}`
}

/** A product loaded without `last_updated` keeps the time of its first load. */
function withLastUpdated({ record, lastUpdated }: DumpedItem & { type: 'product' }): string {
  if (parseMembers(record).some(({ name }) => name === 'last_updated')) return record
  const end = record.lastIndexOf('}')
  return `${record.slice(0, end)},"last_updated":${JSON.stringify(lastUpdated)}}`
}

export function accountRecord(item: DumpedItem & { type: 'account' }): string {
  const { head, tail, isOwnedText } = item
  if (item.kind === 'energy') return head + tail
  if (isOwnedText !== undefined) return head + isOwnedText + tail
  return head.slice(0, -addedOwnership.length) + tail
}

/** The envelope fields: a key that is not in the record, and the time that the load assigned. */
function entryEnvelope({ list, id, time, record }: DumpedItem & { type: 'entry' }): object {
  if (list === 'debit' || list === 'billing') return { id: parseExplicitKey(id) }
  if (list !== 'transaction') return {}
  const { postingDateTime, executionDateTime } = JSON.parse(record) as Record<string, unknown>
  if (postingDateTime !== undefined || executionDateTime !== undefined) return {}
  return { effectiveTime: Temporal.Instant.fromEpochNanoseconds(time).toString() }
}
