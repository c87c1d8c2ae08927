import { openFeedStore } from '../../src/storage/open.ts'
import type { Scope } from '../support/engines.ts'
import { readOutput } from '../support/process.ts'
import { until } from '../support/until.ts'
import { type Bank, openBank } from './bank.ts'
import { put } from './lines.ts'

/** A customer and an account. */
export const base = [put.customer('c1'), put.account('a1', ['c1'])]

export function transactions(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => put.transaction('a1', `t${from + index}`))
}

export function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

/** Opens a bank with an empty database and `data.ndjson`. */
export async function openWithData(t: Scope, lines: readonly string[] = base): Promise<Bank> {
  const bank = await openBank(t)
  await bank.fill([])
  bank.write('data.ndjson', lines)
  return bank
}

/** Starts a follower of `data.ndjson`, or of the input that the arguments start with. */
export function startFollower(bank: Bank, ...args: readonly string[]) {
  const input = args[0]?.startsWith('--') ? ['data.ndjson'] : []
  const child = bank.start(['load', '--follow', '--flush-ms', '10', ...input, ...args])
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    child,
    ...readOutput(child),
    ended,
    async stop(): Promise<number | null> {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** What is stored of a feed. */
export async function readFeed(bank: Bank, name = 'core') {
  const store = await openFeedStore(bank.database())
  try {
    return await store.find(name)
  } finally {
    await store.close()
  }
}

/** Waits until the feed has committed a number of lines, or the follower has ended. */
export function untilLines(bank: Bank, lines: number, follower: ReturnType<typeof startFollower>) {
  return until(
    async () => (await readFeed(bank))?.lines === lines || follower.child.exitCode !== null,
    () => follower.stdout() + follower.stderr(),
  )
}

/** Follows `data.ndjson` until the feed has committed a number of lines. */
export async function followUntil(bank: Bank, lines: number): Promise<void> {
  const follower = startFollower(bank, '--feed', 'core')
  await untilLines(bank, lines, follower)
  await follower.stop()
}
