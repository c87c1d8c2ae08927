import type { Random } from './random.ts'

/** Amounts are whole cents until they are written, so that sums are exact. */
export function moneyText(cents: number): string {
  const whole = Math.abs(cents)
  const rest = whole % 100
  return `${cents < 0 ? '-' : ''}${(whole - rest) / 100}.${rest < 10 ? '0' : ''}${rest}`
}

/** An amount between two bounds, small ones more often than large ones. */
export function amountBetween(random: Random, least: number, most: number): number {
  const position = random.unit()
  return least + Math.round((most - least) * position * position)
}

/** An amount near another, up to `spread` of it away. */
export function amountNear(random: Random, cents: number, spread: number): number {
  return Math.round(cents * (1 + (random.unit() * 2 - 1) * spread))
}

/** Prices include the tax, which is a tenth of the price before it. */
export function gstOf(cents: number): number {
  return Math.round(cents / 11)
}
