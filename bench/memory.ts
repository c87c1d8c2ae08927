import type { Bench } from './bench.ts'
import type { BenchRequest } from './load-driver.ts'
import { type Running, readMemory } from './processes.ts'

const name = 'memory'
const connections = 50
const pollMs = 20

/** The peak memory of a new process, in megabytes, while 50 connections send a request. */
export async function measurePeakMemory(
  { driver }: Bench,
  { pid, port }: Running,
  request: BenchRequest,
  count: number,
): Promise<{ readonly anonymous: number; readonly resident: number }> {
  await driver.prepare(name, [request], count)
  let anonymous = 0
  const poll = setInterval(() => {
    anonymous = Math.max(anonymous, readMemory(pid).anonymous)
  }, pollMs)
  await driver.drive({ name, from: 0, count, port, connections }, () => {})
  clearInterval(poll)
  await driver.forget(name)
  return { anonymous, resident: readMemory(pid).peak }
}
