import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { digest } from '../../auth/secrets.ts'
import { emailKey } from '../../contract/email-key.ts'
import type { CustomerMatch } from '../../contract/index.ts'
import type { PasscodeBudget, PasscodeEvent, PasscodeLimit } from '../../contract/request-limits.ts'
import { openAttemptLimits } from './attempt-limits.ts'
import { makeOptional, useUp } from './last-changes.ts'
import {
  type BudgetRates,
  heldSeconds,
  type OverLimit,
  openPasscodeBudgets,
  type Spender,
  toBudgetLimits,
} from './passcode-budgets.ts'
import type { AttemptLimit, ConsentStore, PasscodeCandidate } from './store.ts'

export const passcodeSeconds = 300
export const passcodeDigits = 6
export const triesMax = 3
export const resendSeconds = 30

/** An address may belong to few customers, such as a couple. Each further one makes a passcode easier to guess. */
const candidatesMax = 4

const minuteMs = 60_000

/** Against guessing and against flooding a phone. All processes share them, and the budgets of all customers. */
export const attemptLimits = {
  passcodes_by_email: { capacity: 5, refillMs: 10 * minuteMs },
  passcodes_by_customer: { capacity: 5, refillMs: 10 * minuteMs },
  /** From one address, after others have used up those of the e-mail address or the customer. */
  passcodes_by_email_reserved: { capacity: 2, refillMs: 30 * minuteMs },
  passcodes_by_customer_reserved: { capacity: 2, refillMs: 30 * minuteMs },
  /** From the reserves of all addresses together: many of them must not flood a phone. */
  reserved_passcodes_by_customer: { capacity: 20, refillMs: 30 * minuteMs },
  /** Higher, since many customers may share a network address. */
  passcodes_by_address: { capacity: 30, refillMs: minuteMs },
  tries_by_customer: { capacity: 10, refillMs: 30 * minuteMs },
  tries_by_customer_reserved: { capacity: triesMax, refillMs: 30 * minuteMs },
  tries_by_address: { capacity: 60, refillMs: minuteMs },
} as const satisfies Record<string, AttemptLimit>

export interface PasscodeOptions extends BudgetRates {
  readonly store: ConsentStore
  readonly clock: () => Temporal.Instant
  /** Must return at once. */
  readonly deliver: (message: PasscodeMessage) => void
  readonly metrics?: PasscodeMetrics | undefined
}

export interface PasscodeMetrics {
  countPasscode(event: PasscodeEvent): void
  /** Counts a request or a try beyond a budget of all customers, also if the reserve of its address admits it. */
  countOverBudget(limit: PasscodeBudget): void
}

/** What a passcode permits: to agree to a sharing, or to see and withdraw consents. */
type PasscodePurpose = 'consent' | 'sign-in'

/** A passcode to deliver to the phone of a customer. */
export interface PasscodeMessage {
  /** The address that the customer entered. */
  readonly email: string
  readonly phoneNumber: string
  readonly name: string
  readonly passcode: string
  readonly purpose: PasscodePurpose
  readonly expires: Temporal.Instant
}

/** The browser that requests or enters a passcode. */
export interface PasscodeOwner extends Spender {
  /** Random, known to the browser alone: without it, stored hashes cannot be verified. */
  readonly secret: string
  readonly purpose: PasscodePurpose
}

type TryResult<Result> =
  | { readonly outcome: 'correct'; readonly result: Result }
  | { readonly outcome: 'wrong'; readonly triesLeft: number }
  | { readonly outcome: 'no tries left' }
  /** Whether or not the passcode is correct. */
  | ({ readonly outcome: 'too many' } & OverLimit)

export type Passcodes = Awaited<ReturnType<typeof openPasscodes>>

/** What follows the correct passcode. */
export interface NextStep<Result> {
  /** Called before the passcode is used up: if it fails, the customer can enter the passcode again. */
  proceed(customerId: string): Promise<Result>
  /** Called afterwards. An outage is ignored. */
  finish(result: Result): Promise<void>
}

/**
 * Except for `isSent`, no result depends on whether an address is known, and neither does the time that it takes: `deliver`
 * is called later and is not awaited.
 */
export async function openPasscodes(options: PasscodeOptions) {
  const { store, clock, deliver, metrics } = options
  const limits = await openAttemptLimits(store, clock, {
    ...attemptLimits,
    ...toBudgetLimits(options),
  })
  const { makeKey, take, refund } = limits
  const budgets = openPasscodeBudgets(limits, (limit) => metrics?.countOverBudget(limit))
  const over = (limit: keyof typeof attemptLimits & PasscodeLimit): OverLimit => ({
    limit,
    waitSeconds: limits.waitSeconds(limit),
  })

  /** Takes from the limit of an address or a customer, or else from the reserve of the source. Returns the limit, to refund it. */
  const takeOrReserved = async (
    limit: 'passcodes_by_email' | 'passcodes_by_customer' | 'tries_by_customer',
    subject: string,
    source: string,
  ) => {
    const reserve = `${limit}_reserved` as const
    const reserved = JSON.stringify([subject, source])
    if (await take(limit, subject)) return { name: limit, subject }
    if (await take(reserve, reserved)) return { name: reserve, subject: reserved }
    return undefined
  }

  const takeSend = async (customerId: string, source: string): Promise<boolean> => {
    const taken = await takeOrReserved('passcodes_by_customer', customerId, source)
    if (taken?.name !== 'passcodes_by_customer_reserved') return taken !== undefined
    return take('reserved_passcodes_by_customer', customerId)
  }

  const isIssuedWithin = (owner: PasscodeOwner, seconds: number): Promise<boolean> =>
    store.passcodes.isIssuedAfter(toKey(owner), clock().subtract({ seconds }))

  return {
    /** Whether the last passcode of the browser was sent less than `resendSeconds` ago. */
    isTooSoon: (owner: PasscodeOwner): Promise<boolean> => isIssuedWithin(owner, resendSeconds),

    /**
     * Takes from the limits of a request. Returns the one that is used up. Must be called before the customers are searched, so
     * that a rejection takes the same time for every address.
     */
    async takeRequest(email: string, owner: PasscodeOwner): Promise<OverLimit | undefined> {
      const { source } = owner
      if (!(await take('passcodes_by_address', source))) return over('passcodes_by_address')
      const taken = await takeOrReserved('passcodes_by_email', emailKey(email), source)
      if (!taken) return over('passcodes_by_email')
      const spent = await budgets.spend('passcodes', owner)
      if ('taken' in spent) return undefined
      await refund(taken)
      return spent
    },

    /** Sends a passcode to the customers with the e-mail address. Undefined if it is too soon. */
    async request(owner: PasscodeOwner, email: string, matches: readonly CustomerMatch[]) {
      const now = clock()
      const expires = now.add({ seconds: passcodeSeconds })
      const reachable = matches.length > candidatesMax ? [] : matches.filter(hasPhone)
      const candidates: PasscodeCandidate[] = []
      const messages: PasscodeMessage[] = []
      // The same number for every address. A candidate who gets no passcode cannot be met.
      for (const [index, passcode] of drawPasscodes(candidatesMax).entries()) {
        const match = reachable[index]
        const customerId = match?.id ?? makeKey('unknown', String(index), emailKey(email))
        const isWithin = await takeSend(customerId, owner.source)
        if (match && isWithin) {
          const { phoneNumber, name } = match
          messages.push({ email, phoneNumber, name, passcode, purpose: owner.purpose, expires })
        }
        const hashed = match && isWithin ? passcode : randomBytes(16).toString('hex')
        candidates.push({ customerId, hash: hashPasscode(owner, hashed) })
      }
      const resendBefore = now.subtract({ seconds: resendSeconds })
      const challenge = { candidates, expires }
      if (!(await store.passcodes.issue(toKey(owner), challenge, now, resendBefore))) {
        return undefined
      }
      setImmediate(() => {
        for (const message of messages) {
          metrics?.countPasscode('sent')
          deliver(message)
        }
      })
      // `isSent` is for the record of the flow. No page may depend on it: it shows whether the address is known.
      return { expires, isSent: messages.length > 0 }
    },

    async verify<Result extends object>(
      owner: PasscodeOwner,
      passcode: string,
      { proceed, finish }: NextStep<Result>,
    ): Promise<TryResult<Result>> {
      const { source } = owner
      if (!(await take('tries_by_address', source)))
        return { outcome: 'too many', ...over('tries_by_address') }
      // Before the try is counted: the customer can enter the passcode again.
      const spent = await budgets.spend('wrong_passcodes', owner, () =>
        isIssuedWithin(owner, heldSeconds),
      )
      if ('limit' in spent) return { outcome: 'too many', ...spent }
      const challenge = await store.passcodes.takeTry(toKey(owner), triesMax, clock())
      if (!challenge) {
        await makeOptional(spent.taken.map(refund))
        return { outcome: 'no tries left' }
      }
      const { candidates, triesLeft } = challenge
      const hash = Buffer.from(hashPasscode(owner, passcode))
      // Counted for every customer, since the passcode could be that of each of them.
      const taken = []
      for (const { customerId, hash: expected } of candidates) {
        const limit = await takeOrReserved('tries_by_customer', customerId, source)
        if (limit) {
          const isCorrect = timingSafeEqual(hash, Buffer.from(expected))
          taken.push({ customerId, limit, isCorrect })
        }
      }
      if (taken.length === 0) {
        await makeOptional(spent.taken.map(refund))
        return { outcome: 'too many', ...over('tries_by_customer') }
      }
      const correct = taken.find(({ isCorrect }) => isCorrect)
      const result = correct && (await proceed(correct.customerId))
      const isUsed = result && (await useUp(store.passcodes.use(toKey(owner)), 'in doubt'))
      if (result && isUsed) {
        metrics?.countPasscode('correct')
        // After a use in doubt, the customer would wait again for a database that does not respond.
        if (isUsed === true) {
          const limits = [...taken.map(({ limit }) => limit), ...spent.taken]
          const refunds = [...limits, ...budgets.listSent(owner)].map(refund)
          await makeOptional([finish(result), ...refunds])
        }
        return { outcome: 'correct', result }
      }
      metrics?.countPasscode('wrong')
      return triesLeft > 0 ? { outcome: 'wrong', triesLeft } : { outcome: 'no tries left' }
    },
  }
}

/** A passcode of one purpose is not found for another. */
function toKey({ purpose, secret }: PasscodeOwner): string {
  return digest(`${purpose} ${secret}`)
}

function hasPhone(match: CustomerMatch): match is CustomerMatch & { phoneNumber: string } {
  return match.phoneNumber !== undefined && match.phoneNumber !== ''
}

/** Different ones, so that a passcode identifies its customer. */
function drawPasscodes(count: number): string[] {
  const codes = new Set<string>()
  while (codes.size < count) {
    codes.add(String(randomInt(10 ** passcodeDigits)).padStart(passcodeDigits, '0'))
  }
  return [...codes]
}

function hashPasscode({ secret }: PasscodeOwner, passcode: string): string {
  return createHmac('sha256', secret).update(passcode).digest('base64url')
}
