import { type Operation, providerOperations } from '../contract/index.ts'
import { namedCapabilities } from './defaults.ts'

const references = Object.values<Operation>(providerOperations).map(({ ref }) => ref)

/** One of those, or `no-` and the reference of an operation, such as `no-B1`. */
export type Capability = keyof typeof namedCapabilities | `no-${string}`

export function isCapability(text: string): text is Capability {
  return Object.hasOwn(namedCapabilities, text) || references.some((ref) => text === `no-${ref}`)
}

export function isLeftOut({ ref, tag }: Operation, capabilities: readonly Capability[]): boolean {
  // The example of the interface is a balance of a bank account.
  const isBanking = tag === 'banking' || ref === 'C4'
  return (
    capabilities.includes(`no-${ref}`) ||
    capabilities.includes(`no-${tag}`) ||
    (isBanking && capabilities.includes('no-banking'))
  )
}
