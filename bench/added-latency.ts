import { median } from './compare.ts'
import type { BenchRequest, LoadDriver } from './load-driver.ts'
import type { Running } from './processes.ts'

export interface Rate {
  readonly perSecond: number
  readonly seconds: number
  readonly connections: number
}

const name = 'rate'
const rounds = 5

/** The p99 of requests at a constant rate, in milliseconds. Those of the first second are not counted. */
export async function measureP99(
  driver: LoadDriver,
  request: BenchRequest,
  { port }: Running,
  { perSecond, seconds, connections }: Rate,
): Promise<number> {
  const count = perSecond * (1 + seconds)
  await driver.prepare(name, [request], count)
  const options = { name, port, perSecond, connections, warmUp: perSecond }
  const { answered } = await driver.sendAtConstantRate({ ...options, from: 0, count })
  await driver.forget(name)
  return answered.p99
}

/**
 * How much each of `others` is above the baseline: the median of several rounds, since a single pause of the machine
 * changes the percentile of one.
 */
export async function measureAdded(
  measureBaseline: () => Promise<number>,
  others: readonly (() => Promise<number>)[],
): Promise<number[]> {
  const added = others.map((): number[] => [])
  for (let round = 0; round < rounds; round += 1) {
    const baseline = await measureBaseline()
    for (const [index, measure] of others.entries())
      added[index]?.push((await measure()) - baseline)
  }
  return added.map(median)
}
