import type { RecordType } from '../contract/index.ts'
import { parseJson } from '../contract/parse-json.ts'
import { isObject } from '../contract/schema.ts'
import type { Item, Reference } from './writer.ts'

/** How many ids are remembered. The memory grows with them, to 16 MiB. */
const idsMaxDefault = 1_000_000

const slotsMin = 1024

/**
 * The customers and accounts that lines of a load put, valid or not. A reference to one of them that is not found is a
 * consequence: the line that puts it was rejected. Only hashes are kept.
 */
export function openPutIds(idsMax = idsMaxDefault) {
  const ids = openHashSet(idsMax)
  const put = (type: RecordType, id: string) => ids.add(`${type}:${id}`)
  return {
    /** Notes what a valid line puts or removes. */
    add(item: Item): void {
      if (item.type === 'customer') put('customer', item.id)
      else if (item.type === 'account') put(`${item.kind}.account`, item.id)
      else if (item.type !== 'removal') return
      else if (item.of === 'customer') ids.remove(`customer:${item.id}`)
      else if (item.of === 'account') ids.remove(`${item.kind}.account:${item.accountId}`)
    },
    addRejected(text: string): void {
      const line = parseJson(text)
      if (!isObject(line) || !isObject(line['record'])) return
      const { id, accountId } = line['record']
      const { type } = line
      if (type === 'customer' && typeof id === 'string') put(type, id)
      if (type === 'banking.account' || type === 'energy.account') {
        if (typeof accountId === 'string') put(type, accountId)
      }
    },
    has({ type, kind, id }: Reference): boolean {
      if (type === 'customer') return ids.has(`customer:${id}`)
      const kinds = kind === undefined ? ['banking', 'energy'] : [kind]
      return kinds.some((each) => ids.has(`${each}.account:${id}`))
    },
    /** Whether there were too many ids to remember all. */
    isIncomplete: ids.isFull,
  }
}

/** A hash table of numbers with open addressing: a tenth of the memory of a set of texts. */
function openHashSet(sizeMax: number) {
  let slots = new Float64Array(slotsMin)
  let used = 0
  let isFull = false

  /** The slot of a hash, or the empty one where it belongs. */
  const find = (hash: number): number => {
    let slot = hash % slots.length
    while (slots[slot] !== 0 && slots[slot] !== hash) slot = (slot + 1) % slots.length
    return slot
  }
  const grow = (): void => {
    const before = slots
    slots = new Float64Array(before.length * 2)
    for (const hash of before) if (hash !== 0) slots[find(hash)] = hash
  }
  /** Moves what follows the emptied slot, so that it is still found. */
  const close = (from: number): void => {
    for (
      let slot = (from + 1) % slots.length;
      slots[slot] !== 0;
      slot = (slot + 1) % slots.length
    ) {
      const hash = slots[slot] ?? 0
      slots[slot] = 0
      slots[find(hash)] = hash
    }
  }
  return {
    isFull: () => isFull,
    has: (text: string) => slots[find(hashText(text))] !== 0,
    add(text: string): void {
      const hash = hashText(text)
      if (slots[find(hash)] === hash) return
      if (used === sizeMax) {
        isFull = true
        return
      }
      if (used * 2 >= slots.length) grow()
      slots[find(hash)] = hash
      used += 1
    },
    remove(text: string): void {
      const slot = find(hashText(text))
      if (slots[slot] === 0) return
      slots[slot] = 0
      used -= 1
      close(slot)
    },
  }
}

/** Two FNV-1a hashes as one number of 52 bits, which is never 0. */
function hashText(text: string): number {
  let low = 0x811c9dc5
  let high = 0x050c5d1f
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x01000197)
  }
  return (high >>> 12) * 2 ** 32 + (low >>> 0) || 1
}
