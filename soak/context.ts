import type { ReceivedAnswers } from './answer-records.ts'
import type { CustomerAccounts, Model } from './model.ts'
import type { Platform, Token } from './platform.ts'
import { pick } from './random-request.ts'
import type { SendRequest, SoakRequest } from './send-request.ts'
import type { Tally } from './tally.ts'

/** Shared by all clients of a run. */
export interface SoakContext {
  readonly port: number
  readonly tally: Tally
  readonly platform: Platform
  readonly model: Model
  readonly customers: readonly CustomerAccounts[]
  readonly send: SendRequest
  /** Of the provider. */
  readonly answers: ReceivedAnswers
  readonly usedTokens: UsedTokens
  /** Whether the time of the run is over: nothing new is begun. */
  isTimeUp(): boolean
  /** Whether all that was begun has ended, too. Clients send requests until then. */
  isFinished(): boolean
  /** The version of the last load that was committed, and of the last that was started. A response matches one of the versions between them. */
  committed(): number
  started(): number
}

export interface TokenUse {
  readonly request: SoakRequest
  readonly token: Token
}

/** Tokens that were accepted and must never be accepted again. */
export interface UsedTokens {
  add(use: TokenUse): void
  random(): TokenUse | undefined
  latest(count: number): readonly TokenUse[]
}

const keptMax = 20_000

/** Keeps the newest uses and a random selection of the older ones. */
export function openUsedTokens(): UsedTokens {
  const kept: TokenUse[] = []
  return {
    add(use) {
      if (kept.length === keptMax) kept.splice(Math.floor(Math.random() * (keptMax / 2)), 1)
      kept.push(use)
    },
    random: () => (kept.length > 0 ? pick(kept) : undefined),
    latest: (count) => kept.slice(-count),
  }
}
