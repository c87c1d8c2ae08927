import { createHmac } from 'node:crypto'
import type { IdKind } from '../../../contract/cds/shared/shapes.ts'
import type { Arrangement } from '../store.ts'

/** Whom an id is for: the same account has other ids for another third party, and for another customer. */
type IdAudience = Pick<Arrangement, 'thirdPartyId' | 'customerId'>

/**
 * Makes the ids that a third party sees instead of those of the provider: keyed hashes. They are the same in every
 * process and in every arrangement of the customer with the third party, and third parties cannot compare them. An
 * account id is resolved by hashing the accounts of an arrangement, so ids of other accounts have no meaning.
 */
export function openIds(key: Buffer) {
  const hash = ({ thirdPartyId, customerId }: IdAudience, ...path: readonly string[]): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([thirdPartyId, customerId, ...path]))
      .digest('base64url')
  return {
    makeAccountId: (audience: IdAudience, accountId: string) =>
      hash(audience, 'account', accountId),
    /** `path` is the provider’s id, after that of its account if it is unique only there. */
    makeId: (audience: IdAudience, kind: IdKind, path: readonly string[]) =>
      hash(audience, kind, ...path),
  }
}

export type Ids = ReturnType<typeof openIds>
