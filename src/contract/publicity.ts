import { publicationFaultsMax } from './limits.ts'

/**
 * In the words of the console and of the command: a product is public if anyone can read it at the endpoints of the
 * Consumer Data Standards. Each fault is a gap that keeps it out. No more than `publicationFaultsMax` are counted.
 */
export function countGaps(gaps: number): string {
  if (gaps >= publicationFaultsMax) return `${publicationFaultsMax} or more gaps`
  return gaps === 1 ? '1 gap' : `${gaps} gaps`
}

/** The state of a published product. */
export function namePublicity(gaps: number): string {
  return gaps === 0 ? 'Public' : `Published, ${countGaps(gaps)}`
}

/** Where a published product can be read. */
export function describePublicity(gaps: number): string {
  return gaps === 0
    ? 'It is in the public catalogue.'
    : `It is not in the public catalogue: ${countGaps(gaps)}.`
}
