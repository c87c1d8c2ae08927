import type { Arrangement } from './store.ts'

/** How long an access token is valid. */
export const accessTokenSeconds = 600

/** How long an authorization code is valid. */
export const codeSeconds = 60

/** The longest sharing: a year of 365 days, as the Consumer Data Standards count it. */
export const sharingSecondsMax = 31_536_000

/** A sharing without a duration ends when the only access token that can be issued for it must have expired. */
export const onceSeconds = codeSeconds + accessTokenSeconds

/** When a sharing that begins now ends. */
export function endOfSharing(seconds: number, now: Temporal.Instant): Temporal.Instant {
  return now.add({ seconds: seconds === 0 ? onceSeconds : seconds })
}

/** Whether an arrangement outlasts its first access token, so that a refresh token is needed. */
export function needsRefreshToken({ from, until }: Arrangement): boolean {
  return until.since(from).total('seconds') > onceSeconds
}
