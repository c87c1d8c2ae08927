import { type Operation, providerOperations } from '../contract/index.ts'
import { namedCapabilities } from './defaults.ts'

const references = Object.values<Operation>(providerOperations).map(({ ref }) => ref)

/** A named capability, or `no-` followed by the reference of an operation, such as `no-B1`. */
export type Capability = keyof typeof namedCapabilities | `no-${string}`

export function isCapability(text: string): text is Capability {
  return Object.hasOwn(namedCapabilities, text) || references.some((ref) => text === `no-${ref}`)
}

export function isLeftOut(
  { ref, tag, accountKinds = [] }: Operation,
  capabilities: readonly Capability[],
): boolean {
  const hasNoAccounts =
    accountKinds.length > 0 && accountKinds.every((kind) => capabilities.includes(`no-${kind}`))
  return hasNoAccounts || capabilities.includes(`no-${ref}`) || capabilities.includes(`no-${tag}`)
}
