import { type Operation, providerOperations } from '../../contract/index.ts'
import type { ProviderOperationId } from '../handler.ts'
import type { Source } from './source.ts'

const ids = Object.keys(providerOperations) as ProviderOperationId[]

/** The interface requires the operations of the consent flow, except for the one with this reference. */
const optionalConsentRef = 'C4'

const requiredIds = ids.filter((id) => {
  const { tag, ref }: Operation = providerOperations[id]
  return tag === 'consent' && ref !== optionalConsentRef
})

/** Operations of the interface that return the data which a customer shares. */
const dataIds = ids.filter((id) => {
  const { tag, isExtension }: Operation = providerOperations[id]
  return /^(banking|energy)$/.test(tag) && !isExtension
})

/** The operations that a source can serve. Functions may be inherited, as from a class. */
export function listServed(source: Source): ProviderOperationId[] {
  return ids.filter((id) => typeof source[id] === 'function')
}

/** One sentence for each reason why a source cannot be served. */
export function findDefects(source: Source): string[] {
  if (typeof source !== 'object' || source === null) {
    return ['source must be an object with a function for each operation']
  }
  const served = new Set(listServed(source))
  return [
    ...ids
      .filter((id) => source[id] !== undefined && !served.has(id))
      .map((id) => `source.${id} must be a function`),
    ...requiredIds
      .filter((id) => source[id] === undefined)
      .map((id) => `source.${id} is missing: the interface requires ${describe(id)}`),
    ...(dataIds.some((id) => served.has(id))
      ? []
      : [
          `source has no data to share: the interface requires at least one of ${dataIds.join(', ')}`,
        ]),
  ]
}

function describe(id: ProviderOperationId): string {
  const { ref, method, path }: Operation = providerOperations[id]
  return `${ref}, ${method} ${path}`
}
