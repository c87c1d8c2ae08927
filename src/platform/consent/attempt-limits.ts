import { openLimitKeys } from './limit-keys.ts'
import type { AttemptLimit, ConsentStore } from './store.ts'

/** What was taken from a limit, to refund it. */
export interface Taken<Name extends string> {
  readonly name: Name
  readonly subject: string
}

export type AttemptLimits<Name extends string> = Awaited<ReturnType<typeof openAttemptLimits<Name>>>

/** Limits by name, each with a bucket for every subject. All processes share them. */
export async function openAttemptLimits<Name extends string>(
  store: Pick<ConsentStore, 'readSecret' | 'limits'>,
  clock: () => Temporal.Instant,
  limits: Readonly<Record<Name, AttemptLimit>>,
) {
  const makeKey = await openLimitKeys(store)
  return {
    makeKey,
    take: (name: Name, subject: string): Promise<boolean> =>
      store.limits.take(makeKey(name, subject), limits[name], clock()),
    refund: ({ name, subject }: Taken<Name>): Promise<void> =>
      store.limits.refund(makeKey(name, subject), limits[name], clock()),
    /** The longest time until a token is added to an empty bucket. */
    waitSeconds: (name: Name): number => Math.ceil(limits[name].refillMs / 1000),
  }
}
