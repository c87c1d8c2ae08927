import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Json, testDocument } from '../../../test/support/test-document.ts'
import { cdsEndpoints } from '../../contract/cds/shared/endpoints.ts'
import { publishedEndpoints } from '../catalogue/published-answers.ts'
import { discoveryEndpoints } from '../cds/discovery.ts'
import { openidRoutes } from '../consent/openid-provider.ts'
import { openidPaths, revocationPath } from '../consent/paths.ts'
import { buildThirdPartyDocument } from './document.ts'

const document: Json = buildThirdPartyDocument('1.2.3')

testDocument('the OpenAPI document for third parties', document)

describe('the OpenAPI document for third parties', () => {
  it('has every endpoint that a platform serves to third parties', () => {
    const described = Object.entries<Json>(document['paths']).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const cds = [
      ...Object.values(cdsEndpoints),
      ...[...Object.values(publishedEndpoints), ...Object.values(discoveryEndpoints)].map(
        ({ path }) => ({ method: 'GET', path }),
      ),
    ]
    // Browsers open it.
    const own = openidRoutes.filter(({ path }) => !path.startsWith(openidPaths.authorization))

    assert.deepEqual(
      described.sort(),
      [
        `POST ${revocationPath}`,
        ...own.map(({ method, path }) => `${method} ${path}`),
        ...cds.map(({ method, path }) => `${method} /cds-au/v1${path}`),
      ].sort(),
    )
  })

  it('describes every scope that an operation requires', () => {
    const { scopes } = document['components'].securitySchemes.accessToken.flows.authorizationCode
    const required = Object.values<Json>(document['paths'])
      .flatMap((item) => Object.values<Json>(item))
      .flatMap(({ security }) => security)
      .flatMap(({ accessToken = [] }) => accessToken)

    assert.ok(required.includes('bank:transactions:read'))
    assert.deepEqual(
      required.filter((scope) => !(scope in scopes)),
      [],
    )
    assert.match(scopes['bank:accounts.basic:read'], /^Account name, type and balance: /)
  })

  it('requires the fields that every object has, and no field of some objects alone', () => {
    const { BankingFee, BankingScheduledPaymentSet, CommonSimpleAddress } =
      document['components'].schemas

    assert.deepEqual(BankingFee.required, ['name', 'feeType', 'feeMethodUType'])
    assert.deepEqual(BankingScheduledPaymentSet.required, ['to'])
    assert.deepEqual(CommonSimpleAddress.required, ['addressLine1', 'city', 'state'])
  })

  it('has a schema for each version of a response', () => {
    const { schema } =
      document['paths']['/cds-au/v1/banking/accounts'].get.responses['200'].content[
        'application/json'
      ]
    const { BankingAccount, BankingAccountV2 } = document['components'].schemas

    assert.deepEqual(
      schema.anyOf.map(({ $ref }: Json) => $ref),
      ['#/components/schemas/GetAccountsResponse', '#/components/schemas/GetAccountsResponseV2'],
    )
    assert.ok('isInstalmentDetailAvailable' in BankingAccount.properties)
    assert.ok(!('isInstalmentDetailAvailable' in BankingAccountV2.properties))
  })
})
