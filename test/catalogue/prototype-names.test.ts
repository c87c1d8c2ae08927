import assert from 'node:assert/strict'
import { it } from 'node:test'
import { catalogueOperations, type Operation } from '../../src/contract/index.ts'
import { asNode } from '../../src/contract/schema.ts'
import { describe } from '../support/engines.ts'
import { nobodysName, prototypeNames } from '../support/prototype-names.ts'
import { plain, plainWith } from './products.ts'
import { type Answer, pathOf, productsPath, sharedWorld, type World } from './world.ts'

const open = sharedWorld()

/** Where a name may stand in a request: what is asked with it there. */
const places: Readonly<Record<string, (world: World, name: string) => Promise<Answer>>> = {
  'the id of a product': (world, name) => world.get(pathOf(name)),
  'the id of a product that is replaced': (world, name) => world.replace(name, plain),
  'the id of a product that is removed': (world, name) => world.remove(name),
  'the id of a product with a history': (world, name) => world.history(name),
  'a version': (world, name) => world.get(`${pathOf(name)}?version=${name}`),
  'the name of a parameter': (world, name) => world.get(`${productsPath}?${name}=1`),
  'a member of a product': (world, name) => world.create(plainWith({ [name]: { [name]: 1 } })),
  'a member inside': (world, name) => world.create(plainWith({ features: [{ [name]: name }] })),
  'a category': (world, name) => world.create(plainWith({ product_category: name })),
  'a rate type': (world, name) =>
    world.create(plainWith({ deposit_rates: [{ deposit_rate_type: name, rate: '1' }] })),
  'an idempotency key': (world, name) => world.create(plain, { 'idempotency-key': name }),
  'a condition': (world, name) => world.get(productsPath, { 'if-none-match': name }),
  'a token': (world, name) =>
    world.send(productsPath, {
      method: 'POST',
      body: plain,
      headers: { authorization: `Bearer ${name}` },
    }),
  'a client': (world, name) => askToken(world, { client_id: name, client_secret: name }),
  'a scope': (world, name) => askToken(world, { ...credentials(world), scope: name }),
  'a member of credentials': (world, name) => askToken(world, { [name]: 1 }),
  'a grant': (world, name) => askInForm(world, `grant_type=${name}`),
  'a scope in a form': (world, name) =>
    askInForm(world, `${new URLSearchParams({ ...grant, ...credentials(world), scope: name })}`),
  'the name of a field of a form': (world, name) => askInForm(world, `${name}=1`),
}

const grant = { grant_type: 'client_credentials' }

function credentials({ client }: World) {
  return { client_id: client.id, client_secret: client.secret }
}

function askToken(world: World, body: object): Promise<Answer> {
  return world.send('/v1/token', { method: 'POST', body })
}

function askInForm(world: World, body: string): Promise<Answer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return world.send('/v1/token', { method: 'POST', body, headers })
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
      assertOrdinary((world, name) => world.get(`${productsPath}?${parameter}=${name}`)))
  }
})

async function assertOrdinary(ask: (world: World, name: string) => Promise<Answer>): Promise<void> {
  const world = await open()
  const { status } = await ask(world, nobodysName)
  assert.ok(status < 500, `${status}`)

  for (const name of prototypeNames) assert.equal((await ask(world, name)).status, status, name)
}
