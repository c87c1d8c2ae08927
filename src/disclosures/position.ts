import type { Position } from './store.ts'

/** `time-chain-number`, in milliseconds since 1970. */
export function formatPosition({ time, chain, number }: Position): string {
  return `${time.epochMilliseconds}-${chain}-${number}`
}

/** Undefined if the text is no position. */
export function parsePosition(text: string): Position | undefined {
  const [, time, chain, number] = /^(\d{1,15})-([\w-]{1,64})-(\d{1,15})$/.exec(text) ?? []
  if (chain === undefined) return undefined
  const { fromEpochMilliseconds } = Temporal.Instant
  return { time: fromEpochMilliseconds(Number(time)), chain, number: Number(number) }
}
