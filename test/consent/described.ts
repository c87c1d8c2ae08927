import type { CdsEndpoint } from '../../src/contract/cds/shared/endpoints.ts'
import { cdsBasePath } from '../../src/platform/cds/paths.ts'
import { buildThirdPartyDocument } from '../../src/platform/third-party-api/document.ts'
import { openDescription } from '../support/described-response.ts'
import type { Called } from './cds.ts'

/** Returns a function that lists what the response of an endpoint has and the OpenAPI document for third parties does not describe. */
export function openCdsDescription() {
  const findUndescribed = openDescription(buildThirdPartyDocument('0.0.0'))
  return ({ method, path }: CdsEndpoint, { status, headers, body }: Called) =>
    findUndescribed(method, cdsBasePath + path, {
      status,
      headers: Object.fromEntries(headers),
      body,
    })
}
