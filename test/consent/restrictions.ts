import { restriction } from '../support/lines.ts'
import type { Provider } from '../support/provider.ts'

type Subject = { readonly accountId: string } | { readonly customerId: string }

export type Restrictions = ReturnType<typeof openRestrictions>

/** The restrictions of a provider, which are lines that it loads. */
export function openRestrictions(provider: Provider) {
  return {
    set: (subject: Subject, reason: 'harm' | 'blocked' | 'suspended') =>
      provider.load([restriction(subject, reason)]),
    end: (subject: Subject) => provider.load([{ type: 'restriction', delete: subject }]),
  }
}
