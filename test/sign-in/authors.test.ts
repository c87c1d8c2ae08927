import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openConsentStore } from '../../src/storage/open.ts'
import { minimalProduct } from '../catalogue/products.ts'
import { makeArrangement, makeThirdParty } from '../consent/stores.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { productPath, productsPath } from '../support/platform.ts'
import { runHoldfast } from '../support/process.ts'
import { openSignInPlatform, origin, readSession, type SignInPlatform, signIn } from './platform.ts'

const open = shareOnEachEngine((scope) =>
  openSignInPlatform(scope, {
    settings: { consoleScopes: 'products.write=pricing;consent.write=compliance' },
  }),
)

/** Signs in, and returns a function that sends requests of the session. */
async function openBrowser(platform: SignInPlatform, sub: string) {
  platform.provider.person = { sub, name: `Name of ${sub}`, groups: ['pricing', 'compliance'] }
  const browser = platform.browse()
  await signIn(browser)
  const { csrf_token: token } = await readSession(browser)
  const by = { id: sub, name: `Name of ${sub}`, issuer: platform.provider.issuer }
  return {
    by,
    send: async (path: string, method = 'GET', body?: unknown, headers = {}) => {
      const answer = await browser.request(origin + path, {
        method,
        headers: { 'x-csrf-token': token, ...headers },
        body,
      })
      assert.ok(answer.status < 300, answer.text)
      return answer
    },
  }
}

describe('the history of a product', () => {
  it('names the person who created it, saved a draft, published it and restored a version', async () => {
    const platform = await open()
    const ana = await openBrowser(platform, 'ana')
    const bo = await openBrowser(platform, 'bo')
    const { body: created } = await ana.send(productsPath, 'POST', minimalProduct)
    const path = productPath(created.product_id)
    const changed = { ...minimalProduct, name: 'Changed' }
    await bo.send(`${path}/draft`, 'PUT', changed)
    const ofBo = {
      changed_by: 'bo',
      changed_by_name: 'Name of bo',
      changed_by_issuer: platform.provider.issuer,
    }
    const { body: draft, headers } = await ana.send(`${path}/draft`)
    assert.partialDeepStrictEqual(draft, ofBo)
    const { body: drafts } = await ana.send('/v1/data-provider/cdr/product-drafts')
    assert.partialDeepStrictEqual(drafts.data.drafts, [ofBo])
    const ifMatch = { 'if-match': headers['etag'] ?? '' }
    await ana.send(`${path}/draft/publish`, 'POST', undefined, ifMatch)
    // As the console restores a version.
    await bo.send(path, 'PUT', minimalProduct)

    const { body } = await ana.send(`${path}/history`)
    assert.deepEqual(
      body.data.history.map(({ changed_at: _, ...change }: { changed_at: string }) => change),
      [
        { version: 3, change: 'UPDATED', ...ofBo },
        {
          version: 2,
          change: 'UPDATED',
          ...ofBo,
          changed_by: 'ana',
          changed_by_name: 'Name of ana',
        },
        {
          version: 1,
          change: 'CREATED',
          ...ofBo,
          changed_by: 'ana',
          changed_by_name: 'Name of ana',
        },
      ],
    )
    const { body: summary } = await ana.send('/v1/data-provider/cdr/product-summaries')
    assert.partialDeepStrictEqual(summary.data.products, [
      {
        updated_by: 'bo',
        updated_by_name: 'Name of bo',
        updated_by_issuer: platform.provider.issuer,
      },
    ])
  })
})

describe('an idempotency key', () => {
  it('of a person is not that of an API client whose id is the subject', async () => {
    const platform = await open()
    const { id } = platform.client
    const person = await openBrowser(platform, id)
    const key = { 'idempotency-key': 'k' }
    const first = await platform.create(minimalProduct, key)
    const { body } = await person.send(productsPath, 'POST', minimalProduct, key)

    assert.notEqual(body.product_id, first.body.product_id)
  })
})

describe('the history of a consent', () => {
  it('names the person, the API client or the command that withdrew it', async () => {
    const platform = await open()
    const store = await openConsentStore(platform.database)
    const now = Temporal.Now.instant()
    await store.thirdParties.add(makeThirdParty('tp'))
    const ids = ['by-person', 'by-client', 'by-command', 'by-customer']
    for (const id of ids)
      await store.arrangements.add(makeArrangement(id, { from: now, until: now.add({ hours: 1 }) }))
    const person = await openBrowser(platform, 'ana')
    const client = await platform.register(['consent.write'], 'back office')
    const token = await platform.issueToken(client)

    await person.send('/v1/consents/by-person/withdraw', 'POST')
    const answer = await platform.send('/v1/consents/by-client/withdraw', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(answer.status, 204, answer.text)
    const withdraw = ['consent', 'withdraw', 'by-command', '--database', platform.database]
    assert.equal((await runHoldfast(withdraw)).status, 0)
    await store.arrangements.withdraw('by-customer', 'customer', now)
    await store.close()

    const found = new Map<string, unknown>()
    for (const id of ids) {
      const { body } = await person.send(`/v1/consents/${id}`)
      const change = body.changes.find(({ status }: { status: string }) => status === 'withdrawn')
      found.set(id, change.by)
    }
    assert.deepEqual(Object.fromEntries(found), {
      'by-person': person.by,
      'by-client': { id: client.id, name: 'back office' },
      'by-command': { id: 'consent', name: 'holdfast consent' },
      'by-customer': undefined,
    })
    const show = ['consent', 'show', 'by-person', '--database', platform.database]
    assert.match((await runHoldfast(show)).stdout, /withdrawn \(operator\) by Name of ana \(ana\)/)
  })
})
