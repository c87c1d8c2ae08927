import {
  type CdsEndpoint,
  type CdsEndpointId,
  cdsEndpoints,
} from '../../contract/cds/shared/endpoints.ts'
import type { CountedOperation } from './operations.ts'

/** An endpoint with the data of a customer. Separate, so that a platform without consent does not load the endpoints. */
export function countedEndpoint(id: CdsEndpointId): CountedOperation {
  const { tier }: CdsEndpoint = cdsEndpoints[id]
  const unattendedTier = tier === 'largePayload' ? tier : 'unattended'
  return { name: id, isAuthenticated: true, tier: tier ?? 'lowPriority', unattendedTier }
}
