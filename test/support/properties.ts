import { variant } from './variant.ts'

/** The data is the same in every variant: fewer runs show that requests and responses pass through it. */
const shareInVariants = 0.25

/**
 * How often a property is tried: on the same values in every run of the tests. With `PROPERTY_RUNS=10` it is tried ten
 * times as often, on other values each time.
 */
export function propertyRuns(numRuns: number): { numRuns: number; seed?: number } {
  const runs = variant === 'store' ? numRuns : Math.ceil(numRuns * shareInVariants)
  const factor = process.env['PROPERTY_RUNS']
  return factor === undefined ? { numRuns: runs, seed: 1 } : { numRuns: runs * Number(factor) }
}
