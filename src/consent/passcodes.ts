import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { digest } from '../auth/secrets.ts'
import type { CustomerMatch } from '../contract/index.ts'
import { emailKey } from '../text/email-key.ts'
import type { AttemptLimit, ConsentStore } from './store.ts'

export const passcodeSeconds = 300
export const passcodeDigits = 6
export const triesMax = 3
export const resendSeconds = 30

/** An address may belong to few customers, such as a couple. Each further one makes a passcode easier to guess. */
const candidatesMax = 4

const minuteMs = 60_000

/** Against guessing and against flooding a phone. All processes share them. */
export const attemptLimits = {
  sendsByEmail: { capacity: 5, refillMs: 10 * minuteMs },
  sendsByCustomer: { capacity: 5, refillMs: 10 * minuteMs },
  /** Higher, since many customers may share an address. */
  sendsBySource: { capacity: 30, refillMs: minuteMs },
  triesByCustomer: { capacity: 10, refillMs: 30 * minuteMs },
  triesBySource: { capacity: 60, refillMs: minuteMs },
} as const satisfies Record<string, AttemptLimit>

/** A passcode to deliver to the phone of a customer. */
export interface PasscodeMessage {
  /** The address that the customer entered. */
  readonly email: string
  readonly phoneNumber: string
  readonly name: string
  readonly passcode: string
  readonly expires: Temporal.Instant
}

export interface PasscodeRequest {
  /** Random, known to the browser alone: without it, stored hashes cannot be verified. */
  readonly secret: string
  readonly email: string
  /** The customers with the e-mail address. */
  readonly matches: readonly CustomerMatch[]
}

/** What the customer reads depends on nothing else: it is the same whether or not the address is known. */
export type SendResult =
  | { readonly outcome: 'sent'; readonly expires: Temporal.Instant }
  | { readonly outcome: 'too soon' }

export type TryResult =
  | { readonly outcome: 'correct'; readonly customerId: string }
  | { readonly outcome: 'wrong'; readonly triesLeft: number }
  | { readonly outcome: 'no tries left' }
  | { readonly outcome: 'too many' }

export interface Passcodes {
  /** Must be called before the customers are searched, so that a rejection takes the same time for every address. */
  mayRequest(email: string, source: string): Promise<boolean>
  request(request: PasscodeRequest): Promise<SendResult>
  verify(secret: string, passcode: string, source: string): Promise<TryResult>
}

/** `deliver` is not awaited: how long it takes would show that the address is known. */
export async function openPasscodes(
  store: ConsentStore,
  clock: () => Temporal.Instant,
  deliver: (message: PasscodeMessage) => void,
): Promise<Passcodes> {
  const limitKey = await store.readSecret('limits')
  const take = (limit: keyof typeof attemptLimits, subject: string) => {
    const key = createHmac('sha256', limitKey).update(`${limit} ${subject}`).digest('base64url')
    return store.limits.take(key, attemptLimits[limit], clock())
  }

  return {
    async mayRequest(email, source) {
      const isWithin = [
        await take('sendsBySource', source),
        await take('sendsByEmail', emailKey(email)),
      ]
      return isWithin.every(Boolean)
    },

    async request({ secret, email, matches }) {
      const now = clock()
      const expires = now.add({ seconds: passcodeSeconds })
      const reachable = matches.length > candidatesMax ? [] : matches.filter(hasPhone)
      const codes = drawPasscodes(reachable.length)
      const messages = reachable.map(({ id, name, phoneNumber }, index) => ({
        id,
        message: { email, phoneNumber, name, passcode: codes[index] ?? '', expires },
      }))
      const candidates = messages.map(({ id, message }) => ({
        customerId: id,
        hash: hashPasscode(secret, message.passcode),
      }))
      const resendBefore = now.subtract({ seconds: resendSeconds })
      const key = digest(secret)
      if (!(await store.passcodes.issue(key, { candidates, expires }, now, resendBefore))) {
        return { outcome: 'too soon' }
      }
      // An unknown address takes from a limit too, so that it takes as long as a known one.
      if (messages.length === 0) await take('sendsByCustomer', emailKey(email))
      for (const { id, message } of messages) {
        if (await take('sendsByCustomer', id)) deliver(message)
      }
      return { outcome: 'sent', expires }
    },

    async verify(secret, passcode, source) {
      if (!(await take('triesBySource', source))) return { outcome: 'too many' }
      const challenge = await store.passcodes.takeTry(digest(secret), triesMax, clock())
      if (!challenge) return { outcome: 'no tries left' }
      const { candidates, triesLeft } = challenge
      const hash = Buffer.from(hashPasscode(secret, passcode))
      const allowed: string[] = []
      for (const { customerId, hash: expected } of candidates) {
        // Counted for every customer, since the passcode could be that of each of them.
        const isWithin = await take('triesByCustomer', customerId)
        if (isWithin && timingSafeEqual(hash, Buffer.from(expected))) allowed.push(customerId)
      }
      if (candidates.length === 0) await take('triesByCustomer', digest(secret))
      const [customerId] = allowed
      if (customerId !== undefined && (await store.passcodes.use(digest(secret)))) {
        return { outcome: 'correct', customerId }
      }
      return triesLeft > 0 ? { outcome: 'wrong', triesLeft } : { outcome: 'no tries left' }
    },
  }
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

function hashPasscode(secret: string, passcode: string): string {
  return createHmac('sha256', secret).update(passcode).digest('base64url')
}
