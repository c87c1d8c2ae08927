import { emailKey } from '../contract/email-key.ts'
import type { ShownPasscode } from '../platform/consent/pages/sign-in.ts'
import type { PasscodeMessage } from '../platform/consent/passcodes.ts'

const addressesMax = 100

/** The passcodes that were sent last, to show them in the demonstration. The addresses are those of its customers. */
export function openShownPasscodes(addresses: readonly string[]) {
  const sent = new Map<string, readonly PasscodeMessage[]>()
  return {
    add(message: PasscodeMessage): void {
      const key = emailKey(message.email)
      const same = (sent.get(key) ?? []).filter(({ expires }) => expires.equals(message.expires))
      sent.delete(key)
      sent.set(key, [...same, message])
      const [oldest] = sent.keys()
      if (sent.size > addressesMax && oldest !== undefined) sent.delete(oldest)
    },
    /** Several customers may have an address. */
    find(email: string): ShownPasscode {
      const messages = sent.get(emailKey(email)) ?? []
      const [first, ...others] = messages
      if (!first) return { addresses }
      if (others.length === 0) return first
      const named = messages.map(({ passcode, name }) => `${passcode} for ${name}`)
      return { passcode: named.join(', ') }
    },
  }
}
