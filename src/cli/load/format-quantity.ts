import { formatCount } from '../common/format-count.ts'

/** A number and its noun: `1 line`, `2,500 lines`. */
export function formatQuantity(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`
}
