import assert from 'node:assert/strict'
import { it } from 'node:test'
import { catalogueOperations, type Operation } from '../../src/contract/index.ts'
import { asNode } from '../../src/contract/schema.ts'
import { describe } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import { type Platform, productPath, productsPath, sharedPlatform } from '../support/platform.ts'
import { nobodysName, prototypeNames } from '../support/prototype-names.ts'
import { plain, plainWith } from './products.ts'

const open = sharedPlatform()

/** Where a name may stand in a request: what is asked with it there. */
const places: Readonly<Record<string, (platform: Platform, name: string) => Promise<Answer>>> = {
  'the id of a product': (platform, name) => platform.get(productPath(name)),
  'the id of a product that is replaced': (platform, name) => platform.replace(name, plain),
  'the id of a product that is removed': (platform, name) => platform.remove(name),
  'the id of a product with a history': (platform, name) => platform.history(name),
  'a version': (platform, name) => platform.get(`${productPath(name)}?version=${name}`),
  'the name of a parameter': (platform, name) => platform.get(`${productsPath}?${name}=1`),
  'a member of a product': (platform, name) =>
    platform.create(plainWith({ [name]: { [name]: 1 } })),
  'a member inside': (platform, name) =>
    platform.create(plainWith({ features: [{ [name]: name }] })),
  'a category': (platform, name) => platform.create(plainWith({ product_category: name })),
  'a rate type': (platform, name) =>
    platform.create(plainWith({ deposit_rates: [{ deposit_rate_type: name, rate: '1' }] })),
  'an idempotency key': (platform, name) => platform.create(plain, { 'idempotency-key': name }),
  'a condition': (platform, name) => platform.get(productsPath, { 'if-none-match': name }),
  'a token': (platform, name) =>
    platform.send(productsPath, {
      method: 'POST',
      body: plain,
      headers: { authorization: `Bearer ${name}` },
    }),
  'a client': (platform, name) => askToken(platform, { client_id: name, client_secret: name }),
  'a scope': (platform, name) => askToken(platform, { ...credentials(platform), scope: name }),
  'a member of credentials': (platform, name) => askToken(platform, { [name]: 1 }),
  'a grant': (platform, name) => askInForm(platform, `grant_type=${name}`),
  'a scope in a form': (platform, name) =>
    askInForm(
      platform,
      `${new URLSearchParams({ ...grant, ...credentials(platform), scope: name })}`,
    ),
  'the name of a field of a form': (platform, name) => askInForm(platform, `${name}=1`),
}

const grant = { grant_type: 'client_credentials' }

function credentials({ client }: Platform) {
  return { client_id: client.id, client_secret: client.secret }
}

function askToken(platform: Platform, body: object): Promise<Answer> {
  return platform.send('/v1/token', { method: 'POST', body })
}

function askInForm(platform: Platform, body: string): Promise<Answer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return platform.send('/v1/token', { method: 'POST', body, headers })
}

describe('a name that every object has', { timeout: 120_000 }, () => {
  for (const [place, ask] of Object.entries(places)) {
    it(`is a text like any other as ${place}`, () => assertOrdinary(ask))
  }

  const parameters = Object.values<Operation>(catalogueOperations).flatMap(({ query }) =>
    Object.keys(asNode(query).properties ?? {}),
  )
  for (const parameter of new Set(parameters)) {
    it(`is a text like any other as the parameter ${parameter}`, () =>
      assertOrdinary((platform, name) => platform.get(`${productsPath}?${parameter}=${name}`)))
  }
})

async function assertOrdinary(
  ask: (platform: Platform, name: string) => Promise<Answer>,
): Promise<void> {
  const platform = await open()
  const { status } = await ask(platform, nobodysName)
  assert.ok(status < 500, `${status}`)

  for (const name of prototypeNames) assert.equal((await ask(platform, name)).status, status, name)
}
