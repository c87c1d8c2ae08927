import type { Random } from './random.ts'

/** Amounts are integer cents until they are formatted, so that sums are exact. */
export function formatMoney(cents: number): string {
  const whole = Math.abs(cents)
  const rest = whole % 100
  return `${cents < 0 ? '-' : ''}${(whole - rest) / 100}.${rest < 10 ? '0' : ''}${rest}`
}

/** Picks an amount between two bounds; small amounts are more frequent. */
export function pickAmountBetween(random: Random, min: number, max: number): number {
  const position = random.fraction()
  return min + Math.round((max - min) * position * position)
}

/** Picks an amount that differs from `cents` by at most the fraction `spread`. */
export function pickAmountNear(random: Random, cents: number, spread: number): number {
  return Math.round(cents * (1 + (random.fraction() * 2 - 1) * spread))
}

/** Prices include GST of 10 %. */
export function calculateGst(cents: number): number {
  return Math.round(cents / 11)
}
