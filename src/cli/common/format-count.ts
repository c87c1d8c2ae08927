/** An integer with commas between groups of three digits. `toLocaleString` takes 25 ms at its first call. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** A number and its noun: `1 line`, `2,500 lines`. */
export function formatQuantity(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`
}
