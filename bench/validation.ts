import { examples, recordTypes } from '../src/contract/index.ts'
import { asNode } from '../src/contract/schema.ts'
import { validator } from '../src/contract/validate.ts'
import { median } from './compare.ts'
import type { Row } from './results.ts'

const rounds = 5
const roundMs = 60

/** Measures the CPU time to validate one valid record of each type. */
export function measureValidation(): Row[] {
  return Object.entries(recordTypes).map(([type, schema]) => {
    const { check } = validator(schema)
    const [example] = examples[asNode(schema).name ?? ''] ?? []
    if (!check(example)) throw new Error(`the example of ${type} is not valid`)
    return {
      group: 'parts',
      name: `validation of ${type}`,
      on: 'in process',
      value: { amount: measureMicroseconds(() => check(example)), unit: 'µs' },
    }
  })
}

function measureMicroseconds(work: () => void): number {
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
  return median(figures)
}
