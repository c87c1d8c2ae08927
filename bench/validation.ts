import { examples, recordTypes, validator } from '../src/contract/index.ts'
import { nodeOf } from '../src/contract/schema.ts'

/**
 * What it costs to judge one record that is right, by type, in CPU time: user and system, so that a busy
 * machine does not tell another story. Each figure is the median of several rounds.
 */
const rounds = 9
const roundMs = 100

function microsecondsOf(work: () => void): number {
  const figures = Array.from({ length: rounds }, () => {
    const start = process.cpuUsage()
    const end = performance.now() + roundMs
    let count = 0
    while (performance.now() < end) {
      for (let index = 0; index < 100; index += 1) work()
      count += 100
    }
    const { user, system } = process.cpuUsage(start)
    return (user + system) / count
  })
  return figures.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
}

console.log('validation, CPU microseconds a record\n')
for (const [type, schema] of Object.entries(recordTypes)) {
  const { check } = validator(schema)
  const [example] = examples[nodeOf(schema).name ?? ''] ?? []
  if (!check(example)) throw new Error(`the example of ${type} is not valid`)

  const cost = microsecondsOf(() => check(example))
  console.log(`${type.padEnd(26)}${cost.toFixed(2).padStart(8)}`)
}
