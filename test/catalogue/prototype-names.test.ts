import assert from 'node:assert/strict'
import { it } from 'node:test'
import { catalogueOperations, type Operation } from '../../src/contract/index.ts'
import { asNode } from '../../src/contract/schema.ts'
import { describeOnce } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import { type Platform, productPath, productsPath, sharedPlatform } from '../support/platform.ts'
import { prototypeNames, unusedName } from '../support/prototype-names.ts'
import { minimalProduct, productWithFields } from './products.ts'

const open = sharedPlatform()

/** Requests that contain a name in some position. */
const requests: Readonly<Record<string, (platform: Platform, name: string) => Promise<Answer>>> = {
  'the id of a product': (platform, name) => platform.get(productPath(name)),
  'the id of an updated product': (platform, name) => platform.replace(name, minimalProduct),
  'the id of a deleted product': (platform, name) => platform.remove(name),
  'the id in a history request': (platform, name) => platform.history(name),
  'a version': (platform, name) => platform.get(`${productPath(name)}?version=${name}`),
  'the name of a parameter': (platform, name) => platform.get(`${productsPath}?${name}=1`),
  'a field of a product': (platform, name) =>
    platform.create(productWithFields({ [name]: { [name]: 1 } })),
  'a nested field': (platform, name) =>
    platform.create(productWithFields({ features: [{ [name]: name }] })),
  'a category': (platform, name) => platform.create(productWithFields({ product_category: name })),
  'a rate type': (platform, name) =>
    platform.create(productWithFields({ deposit_rates: [{ deposit_rate_type: name, rate: '1' }] })),
  'an idempotency key': (platform, name) =>
    platform.create(minimalProduct, { 'idempotency-key': name }),
  'a condition': (platform, name) => platform.get(productsPath, { 'if-none-match': name }),
  'a token': (platform, name) =>
    platform.send(productsPath, {
      method: 'POST',
      body: minimalProduct,
      headers: { authorization: `Bearer ${name}` },
    }),
  'a client': (platform, name) =>
    requestWithJson(platform, { client_id: name, client_secret: name }),
  'a scope': (platform, name) =>
    requestWithJson(platform, { ...credentials(platform), scope: name }),
  'a field of credentials': (platform, name) => requestWithJson(platform, { [name]: 1 }),
  'a grant': (platform, name) => requestInForm(platform, `grant_type=${name}`),
  'a scope in a form': (platform, name) =>
    requestInForm(
      platform,
      `${new URLSearchParams({ ...grant, ...credentials(platform), scope: name })}`,
    ),
  'the name of a field of a form': (platform, name) => requestInForm(platform, `${name}=1`),
}

const grant = { grant_type: 'client_credentials' }

function credentials({ client }: Platform) {
  return { client_id: client.id, client_secret: client.secret }
}

function requestWithJson(platform: Platform, body: object): Promise<Answer> {
  return platform.send('/v1/token', { method: 'POST', body })
}

function requestInForm(platform: Platform, body: string): Promise<Answer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return platform.send('/v1/token', { method: 'POST', body, headers })
}

describeOnce('a property name of Object.prototype', () => {
  for (const [position, request] of Object.entries(requests)) {
    it(`is handled like any other text as ${position}`, () => assertSameStatus(request))
  }

  const parameters = Object.values<Operation>(catalogueOperations).flatMap(({ query }) =>
    Object.keys(asNode(query).properties ?? {}),
  )
  for (const parameter of new Set(parameters)) {
    it(`is handled like any other text as the parameter ${parameter}`, () =>
      assertSameStatus((platform, name) => platform.get(`${productsPath}?${parameter}=${name}`)))
  }
})

async function assertSameStatus(
  request: (platform: Platform, name: string) => Promise<Answer>,
): Promise<void> {
  const platform = await open()
  const { status } = await request(platform, unusedName)
  assert.ok(status < 500, `${status}`)

  for (const name of prototypeNames)
    assert.equal((await request(platform, name)).status, status, name)
}
