import { emailKey } from '../contract/email-key.ts'
import type { PasscodeMessage } from '../platform/consent/passcodes.ts'

const addressesMax = 100

/** The passcodes that were sent last, to show them in the demonstration. */
export function openShownPasscodes() {
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
    /** Undefined if none was sent to the address. Several customers may have it. */
    find(email: string): string | undefined {
      const messages = sent.get(emailKey(email)) ?? []
      const [first, ...others] = messages
      if (!first || others.length === 0) return first?.passcode
      return messages.map(({ passcode, name }) => `${passcode} for ${name}`).join(', ')
    },
  }
}
