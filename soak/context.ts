import type { Asking, Sent } from './asking.ts'
import type { Holdings, Model } from './model.ts'
import { pick } from './questions.ts'
import type { Tally } from './tally.ts'
import type { Platform, Token } from './tokens.ts'

/** All that the callers of a run share. */
export interface Scene {
  readonly port: number
  readonly tally: Tally
  readonly platform: Platform
  readonly model: Model
  readonly customers: readonly Holdings[]
  readonly ask: Asking
  readonly spent: Spent
  isOver(): boolean
  /** The last load that was done, and the last that was begun: an answer is of one from the one to the other. */
  committed(): number
  begun(): number
}

export interface Use {
  readonly sent: Sent
  readonly token: Token
}

/** Tokens that have passed and must never pass again. */
export interface Spent {
  remember(use: Use): void
  some(): Use | undefined
  latest(count: number): readonly Use[]
}

const keptMax = 20_000

/** The newest, and some of those that were there before, however long ago. */
export function openSpent(): Spent {
  const kept: Use[] = []
  return {
    remember(use) {
      if (kept.length === keptMax) kept.splice(Math.floor(Math.random() * (keptMax / 2)), 1)
      kept.push(use)
    },
    some: () => (kept.length > 0 ? pick(kept) : undefined),
    latest: (count) => kept.slice(-count),
  }
}
