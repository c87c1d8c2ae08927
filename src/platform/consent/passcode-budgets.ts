import type { PasscodeBudget, PasscodeLimit } from '../../contract/request-limits.ts'
import type { AttemptLimits, Taken } from './attempt-limits.ts'
import type { AttemptLimit } from './store.ts'

const minuteMs = 60_000

/** How many minutes' worth a budget has at once. */
const burstMinutes = { passcodes: 10, wrong_passcodes: 5 }

/** How much smaller the budget of each third party is than that of all. */
const thirdPartyShare = 2

/** How long after it was sent a passcode is first compared while a budget is used up. */
export const heldSeconds = 30

/** How many a minute use up the budgets, over all customers. A passcode that is then entered correctly does not count. */
export interface BudgetRates {
  readonly passcodesPerMinute: number
  readonly wrongPasscodesPerMinute: number
}

type Budget = keyof typeof burstMinutes
type BudgetLimit = PasscodeBudget | `${Budget}_reserved`

/** The subject of a limit of all customers. */
const everyone = ''

/** Whose share of a budget is used. */
export interface Spender {
  /** Without it, the customer signs in to the page with consents, which has a share like that of a third party. */
  readonly thirdPartyId?: string
  /** The address of the browser. */
  readonly source: string
}

/** A limit that is used up, and how long to wait. */
export interface OverLimit {
  readonly limit: PasscodeLimit
  readonly waitSeconds: number
}

type Spent = { readonly taken: readonly Taken<BudgetLimit>[] } | OverLimit

export function toBudgetLimits(rates: BudgetRates): Record<BudgetLimit, AttemptLimit> {
  const toLimit = (perMinute: number, minutes: number): AttemptLimit => ({
    capacity: Math.max(1, Math.floor(perMinute * minutes)),
    refillMs: Math.ceil(minuteMs / perMinute),
  })
  const { passcodesPerMinute: passcodes, wrongPasscodesPerMinute: wrong } = rates
  return {
    passcodes_in_total: toLimit(passcodes, burstMinutes.passcodes),
    passcodes_of_third_party: toLimit(passcodes / thirdPartyShare, burstMinutes.passcodes),
    wrong_passcodes_in_total: toLimit(wrong, burstMinutes.wrong_passcodes),
    wrong_passcodes_of_third_party: toLimit(wrong / thirdPartyShare, burstMinutes.wrong_passcodes),
    // Of each network address: an attack from others must not keep its customers out. Many of them may share it.
    passcodes_reserved: { capacity: 10, refillMs: minuteMs },
    wrong_passcodes_reserved: { capacity: 2, refillMs: 2 * minuteMs },
  }
}

/**
 * What all customers share, so that an attack on many of them at once is slow. Each third party has a share, so that an
 * attack in the flows of one leaves the others alone.
 */
export function openPasscodeBudgets(
  { take, refund, waitSeconds }: AttemptLimits<BudgetLimit>,
  onExceeded: (limit: PasscodeBudget) => void,
) {
  const list = (budget: Budget, { thirdPartyId = everyone }: Spender) =>
    [
      { name: `${budget}_of_third_party`, subject: thirdPartyId },
      { name: `${budget}_in_total`, subject: everyone },
    ] as const
  const reserve = (budget: Budget, { source }: Spender) =>
    ({ name: `${budget}_reserved`, subject: source }) as const

  return {
    /** Takes from the budget or, while it is used up, from the reserve of the network address. That may not be used while `isHeld`. */
    async spend(
      budget: Budget,
      spender: Spender,
      isHeld: () => Promise<boolean> = async () => false,
    ): Promise<Spent> {
      const taken: Taken<BudgetLimit>[] = []
      for (const each of list(budget, spender)) {
        if (await take(each.name, each.subject)) {
          taken.push(each)
          continue
        }
        const limit = each.name
        onExceeded(limit)
        await Promise.all(taken.map(refund))
        if (await isHeld()) return { limit, waitSeconds: heldSeconds }
        const { name, subject } = reserve(budget, spender)
        if (await take(name, subject)) return { taken: [{ name, subject }] }
        return { limit, waitSeconds: waitSeconds(name) }
      }
      return { taken }
    },
    /** What to refund for the passcode that was entered correctly. Refunding a full bucket has no effect. */
    listSent: (spender: Spender): readonly Taken<BudgetLimit>[] => [
      ...list('passcodes', spender),
      reserve('passcodes', spender),
    ],
  }
}
