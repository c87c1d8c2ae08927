/**
 * How often a property is tried: on the same values in every run of the tests. With `PROPERTY_RUNS=10` it is tried ten
 * times as often, on other values each time.
 */
export function propertyRuns(numRuns: number): { numRuns: number; seed?: number } {
  const factor = process.env['PROPERTY_RUNS']
  return factor === undefined ? { numRuns, seed: 1 } : { numRuns: numRuns * Number(factor) }
}
