import { openFeedStore } from '../../src/storage/open.ts'
import { readOutput } from '../support/process.ts'
import { until } from '../support/until.ts'
import type { Bank } from './bank.ts'

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
