import type { LocatedItem } from './writer.ts'

/** What is noticed about valid lines. */
export interface LineWarnings {
  /** Unknown fields that were left out. */
  readonly leftOut: LeftOutFields
  /** The number of lines with a customer that C1 cannot find by any address. */
  readonly customersWithoutEmail: number
}

export interface LeftOutFields {
  readonly total: number
  /** The number of times by field, for the first `leftOutNamesMax` fields. Elements of lists are counted together. */
  readonly byField: ReadonlyMap<string, number>
}

/** How many different fields are counted separately: the names come from the input. */
const leftOutNamesMax = 1000

export function openLineWarnings() {
  let total = 0
  let customersWithoutEmail = 0
  const byField = new Map<string, number>()
  const countLeftOut = (path: string): void => {
    total += 1
    const field = path.replaceAll(/\[\d+\]/g, '')
    const count = byField.get(field) ?? 0
    if (count > 0 || byField.size < leftOutNamesMax) byField.set(field, count + 1)
  }
  return {
    add(item: LocatedItem, leftOut: readonly string[]): void {
      if (item.type === 'customer' && !item.email && item.emails.length === 0) {
        customersWithoutEmail += 1
      }
      for (const path of leftOut) countLeftOut(path)
    },
    result: (): LineWarnings => ({ leftOut: { total, byField }, customersWithoutEmail }),
  }
}
