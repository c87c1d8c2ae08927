import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as openid from 'openid-client'
import { openAccess } from '../../src/auth/access.ts'
import { hashSecret, makeSecret } from '../../src/auth/secrets.ts'
import { demoClientId, demoThirdPartyId } from '../../src/contract/demo-ids.ts'
import { openClientStore } from '../../src/storage/open.ts'
import { describe, newDatabase, shareOnEachEngine } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { openLocalServer } from '../support/local-server.ts'
import { allScopes, openCdsPlatform, share } from './cds.ts'
import { nextCustomer } from './platform.ts'
import { fetchFrom, registerThirdParty } from './third-party.ts'

const setUp = shareOnEachEngine(async (scope) => {
  const platform = await openCdsPlatform(scope, undefined, { isDemo: true })
  const fields = { id: demoThirdPartyId, scopes: allScopes }
  const thirdParty = await registerThirdParty(platform, 'plain', fields)
  const customer = nextCustomer()
  const sharing = await share(platform, { thirdParty, customer, accounts: customer.accounts })
  return { platform, thirdParty, sharing, port: await platform.openAnother() }
})

describe('the third party of the demo', () => {
  it('has access in the demo, and in no other server on its database', async () => {
    const { platform, sharing, port } = await setUp()

    const answers = [
      await sharing.call('/common/customer'),
      await sharing.call('/common/customer', { port }),
      await sharing.call('/common/customer', { port: platform.port }),
    ]

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 401, 200],
    )
  })

  it('cannot be authenticated by another server, and keeps its consents', async () => {
    const { platform, thirdParty, sharing, port } = await setUp()
    const { config, dpop } = thirdParty
    const { refresh_token: refreshToken = '' } = sharing.tokens
    const refresh = () => openid.refreshTokenGrant(config, refreshToken, undefined, { DPoP: dpop })

    config[openid.customFetch] = fetchFrom(port)
    await assert.rejects(thirdParty.start({ scope: 'openid' }), { error: 'invalid_client' })
    await assert.rejects(refresh(), { error: 'invalid_client' })
    config[openid.customFetch] = fetchFrom(platform.port)

    assert.ok((await refresh()).access_token)
    const stored = await platform.store.arrangements.find(
      sharing.arrangementId,
      Temporal.Now.instant(),
    )
    assert.equal(stored?.status, 'active')
  })

  it('cannot continue a flow in another server', async () => {
    const { platform, thirdParty, port } = await setUp()
    const { url } = await thirdParty.start({ scope: allScopes.join(' ') })
    const browser = platform.browse()
    await browser.open(url)
    const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')

    const answer = await send(port, browser.page.url.pathname, {
      headers: { host: browser.page.url.host, cookie },
    })

    assert.equal(browser.page.status, 200)
    assert.equal(answer.status, 400)
    assert.match(answer.text, /This page has expired/)
  })
})

describe('the API client of the demo', () => {
  it('gets no token from a platform or an intake, and its tokens are invalid', async (t) => {
    const database = await newDatabase(t)
    const clients = await openClientStore(database)
    t.after(() => clients.close())
    const created = Temporal.Now.instant()
    const scopes = ['products.write', 'data.write'] as const
    const secret = makeSecret()
    const access = openAccess(clients, Temporal.Now.instant)
    const tokens: string[] = []
    for (const id of [demoClientId, 'core']) {
      const client = { id, name: id, scopes, created, secretHash: hashSecret(secret) }
      await clients.add(client, client.secretHash)
      tokens.push(await access.issue(client, scopes))
    }
    const servers = [
      await openLocalServer(t, 'platform', { database }),
      await openLocalServer(t, 'intake', { database }),
    ]

    const statuses = []
    for (const { port } of servers) {
      for (const id of [demoClientId, 'core']) {
        const body = { client_id: id, client_secret: secret }
        statuses.push((await send(port, '/v1/token', { method: 'POST', body })).status)
      }
    }

    const [{ port = 0 } = {}] = servers
    const path = '/v1/data-provider/cdr/unpublished-products'
    const reads = []
    for (const token of tokens) {
      const headers = { authorization: `Bearer ${token}` }
      reads.push((await send(port, path, { headers })).status)
    }
    assert.deepEqual(statuses, [401, 200, 401, 200])
    assert.deepEqual(reads, [401, 200])
  })
})
