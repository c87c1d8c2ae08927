import assert from 'node:assert/strict'
import { it } from 'node:test'
import { buildRequest } from '../../src/console/pages/api-reference/build-request.ts'
import {
  listOperations,
  type OpenApiDocument,
} from '../../src/console/pages/api-reference/documents.ts'
import { buildThirdPartyDocument } from '../../src/platform/third-party-api/document.ts'

it('a request to an issuer with a path has that path', () => {
  for (const [issuer, path] of [
    ['https://bank.example', '/cds-au/v1/discovery/status'],
    ['https://bank.example/consent', '/consent/cds-au/v1/discovery/status'],
    ['http://127.0.0.1:8081/consent/', '/consent/cds-au/v1/discovery/status'],
  ] as const) {
    const document = buildThirdPartyDocument('0.0.0', issuer) as unknown as OpenApiDocument
    const operation = listOperations('third-party', document).find(
      ({ operationId }) => operationId === 'getStatus',
    )
    assert.ok(operation)
    assert.equal(buildRequest(document, operation, {}).request.path, path)
  }
})
