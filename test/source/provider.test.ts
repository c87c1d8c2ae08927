import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { it } from 'node:test'
import { createProvider, type GuardOptions, missing, type Source } from '../../src/server/index.ts'
import { sampleValue, scrape } from '../observe/scrape.ts'
import { makeAuthority } from '../support/certificates.ts'
import { describe, describeOnce, newDatabase } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { send } from '../support/http.ts'
import { subdomain } from '../support/tokens.ts'
import {
  accountsPath,
  balancesPath,
  customerPath,
  openSourceProvider,
  smallSource,
} from './source-provider.ts'

describe('a provider with a source', () => {
  it('answers with its records, once for each token', async (t) => {
    const { provider, mint } = await openSourceProvider(t, smallSource)
    const address = await provider.listen({ port: 0 })
    const headers = { authorization: `Bearer ${mint(accountsPath)}` }

    const first = await send(address, accountsPath, { headers })
    const second = await send(address, accountsPath, { headers })

    assert.equal(first.status, 200, first.text)
    assert.deepEqual(first.body.data, { accounts: [{ accountId: 'a1', isOwned: true }] })
    assert.deepEqual(first.body.meta, { totalRecords: 1, totalPages: 1 })
    assert.deepEqual([second.status, second.text], [401, '{"error":"Unauthorized"}'])
    assert.equal(await provider.isReady(), true)
  })
})

describeOnce('a provider with a source', () => {
  it('listens once, and goes on when it is to listen again', async (t) => {
    const { provider, ask } = await openSourceProvider(t, smallSource)
    const address = await provider.listen({ port: 0 })

    await assert.rejects(provider.listen({ port: 0 }), /the provider listens already/)

    assert.equal((await ask(address, accountsPath)).status, 200)
  })

  it('creates the database of used tokens only if it is to', async (t) => {
    const guard = {
      subdomain,
      providerUrl: 'https://bank.example',
      jwksUrl: 'http://127.0.0.1:9',
      database: `sqlite:${await temporaryFolder(t)}/tokens.db`,
    }
    const options = { source: smallSource, settings: { logLevel: 'silent' } }

    await assert.rejects(createProvider({ ...options, guard }), {
      name: 'DatabaseError',
      message: / or create it with guard\.create$/,
    })
    const provider = await createProvider({ ...options, guard: { ...guard, create: true } })
    await provider.close()
    assert.equal(await provider.isReady(), false)
  })

  it('replaces a lost replay file only if it is to, and names the option', async (t) => {
    const folder = await temporaryFolder(t)
    const open = async (choices: Partial<GuardOptions>) => {
      const database = `sqlite:${folder}/tokens.db`
      const jwksUrl = 'http://127.0.0.1:9'
      const guard = {
        subdomain,
        providerUrl: 'https://bank.example',
        jwksUrl,
        database,
        ...choices,
      }
      const settings = { logLevel: 'silent' }
      await (await createProvider({ source: smallSource, settings, guard })).close()
    }
    await open({ create: true })
    rmSync(`${folder}/tokens.db-replay`)

    const rejection = { name: 'DatabaseError', message: / start once with guard\.newReplayFile: / }
    await assert.rejects(open({}), rejection)
    await assert.rejects(open({ create: true }), rejection)
    await open({ newReplayFile: true })
    await open({})
  })

  it('serves the functions of a class, with its fields', async (t) => {
    class Base {
      readonly name = 'Ana Silva'
      async searchCustomers() {
        return []
      }
      async listShareableAccounts() {
        return []
      }
      async getCustomer({ customerId }: { readonly customerId: string }) {
        return { id: customerId, name: this.name }
      }
    }
    class Bank extends Base implements Source {
      async listBankingAccounts() {
        return missing('customer')
      }
    }
    const { provider, ask } = await openSourceProvider(t, new Bank())
    const address = await provider.listen({ port: 0 })

    const path = '/auth/v1/customer/__proto__'
    assert.deepEqual((await ask(address, path)).body, { id: '__proto__', name: 'Ana Silva' })
    assert.equal((await ask(address, accountsPath)).text, '{"error":"Customer not found"}')
  })

  it('does not serve the operations that the source does not have', async (t) => {
    const { provider, ask } = await openSourceProvider(t, smallSource)
    const address = await provider.listen({ port: 0 })

    const sent = { method: 'POST', body: { data: { accountIds: ['a1'] } } }
    const answer = await ask(address, balancesPath, sent)
    assert.deepEqual([answer.status, answer.text], [404, '{"error":"Resource not found"}'])
  })

  it('describes only the operations that the source has', async (t) => {
    const { provider } = await openSourceProvider(t, smallSource)
    const address = await provider.listen({ port: 0 })

    const { paths, components } = (await send(address, '/openapi.json')).body
    const methods = Object.values<object>(paths).flatMap((path) => Object.values(path))
    const ids = methods.map(({ operationId }) => operationId)
    assert.deepEqual(ids.toSorted(), Object.keys(smallSource).toSorted())
    assert.equal(components.schemas.BankingBalance, undefined)
  })

  it('names everything that is wrong with its options at once', async () => {
    const options = {
      source: { getCustomer: 'c1', listShareableAccounts: async () => [] },
      guard: { providerUrl: 'ftp://x', jwksUrl: 'http://keys.example', jwksURL: '' },
      settings: { timeZone: 'Mars', port: 70_000, tlsKey: 'key.pem', colour: 'red', logLevel: {} },
    }

    await assert.rejects(createProvider(options as never), (error: Error) => {
      assert.deepEqual(error.message.replace('createProvider: ', '').split('\n'), [
        'source.getCustomer must be a function',
        'source.searchCustomers is missing: the interface requires C1, POST /auth/v1/customer/search',
        'source has no data to share: the interface requires at least one of listBankingAccounts, listBankingBalances, listBankingTransactions, listScheduledPayments, listDirectDebits, listScheduledPaymentsOfAccounts, listEnergyAccounts, listEnergyAccountDetails, listEnergyInvoices, listEnergyBilling, listEnergyBillingOfAccounts',
        'guard.jwksURL is not an option',
        'settings.colour is not an option',
        'guard.database is required, and must be sqlite:FILE or postgres://USER@HOST/NAME: the use of tokens is recorded in it',
        'guard.subdomain is required: the data provider’s subdomain; iss and sub of every token must equal it',
        'settings.port must be a whole number from 0 to 65535, not "70000"',
        'guard.providerUrl must be an http or https URL without credentials and query',
        'guard.jwksUrl must be an https URL, or an http URL of this host; guard.jwksAllowHttp=true allows any http URL',
        'settings.timeZone must be a time zone such as UTC or Australia/Sydney, not "Mars"',
        'settings.logLevel must be one of fatal, error, warn, info, debug, trace, silent, not ""',
        'settings.tlsCert is required with settings.tlsKey: a file with the TLS certificate of the server, followed by its intermediate certificates',
      ])
      return true
    })
  })

  it('names a certificate that cannot be read by its option', async (t) => {
    const guard = {
      subdomain,
      providerUrl: 'https://bank.example',
      jwksUrl: 'http://127.0.0.1:9',
      database: await newDatabase(t),
    }
    const settings = { tlsCert: '/missing/cert.pem', tlsKey: '/missing/key.pem' }

    await assert.rejects(createProvider({ source: smallSource, guard, settings }), {
      message: 'createProvider: settings.tlsCert: cannot read /missing/cert.pem (ENOENT)',
    })
  })

  it('serves HTTPS with the certificate of its settings', async (t) => {
    const authority = makeAuthority('Test CA')
    const folder = await temporaryFolder(t)
    const settings = { tlsCert: join(folder, 'cert.pem'), tlsKey: join(folder, 'key.pem') }
    const { cert, key } = authority.issue('provider')
    writeFileSync(settings.tlsCert, cert)
    writeFileSync(settings.tlsKey, key)
    const { provider, ask } = await openSourceProvider(t, smallSource, { settings })
    const address = await provider.listen({ port: 0 })
    const agent = new Agent({ ca: authority.cert })
    t.after(() => agent.destroy())

    assert.match(address, /^https:/)
    assert.equal((await ask(address, customerPath, { agent })).body.name, 'Ana Silva')
    await assert.rejects(ask(address, customerPath), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
  })

  it('serves metrics on the port of its settings until it is closed', async (t) => {
    const settings = { metricsPort: 0 }
    const { provider, ask, log } = await openSourceProvider(t, smallSource, { settings })
    await ask(await provider.listen({ port: 0 }), customerPath)
    const served = log
      .map((line) => JSON.parse(line))
      .find(({ msg }) => msg === 'metrics are served')

    const samples = await scrape({ metrics: served.address })

    const counted = { operation: 'C3', status: '200' }
    assert.equal(sampleValue(samples, 'holdfast_request_duration_seconds_count', counted), 1)
    await provider.close()
    await assert.rejects(fetch(served.address))
  })

  it('is not disturbed by another one in the same process', async (t) => {
    const listeners = () => process.eventNames().map((name) => [name, process.listenerCount(name)])
    const before = listeners()
    const one = await openSourceProvider(t, smallSource)
    const other = await openSourceProvider(t, {
      ...smallSource,
      getCustomer: async ({ customerId: id }) => ({ id, name: 'Ben' }),
    })
    const addresses = await Promise.all([
      one.provider.listen({ port: 0 }),
      other.provider.listen({ port: 0 }),
    ])

    assert.deepEqual(listeners(), before, 'listeners of the process')
    assert.equal((await one.ask(addresses[0], customerPath)).body.name, 'Ana Silva')
    assert.equal((await other.ask(addresses[1], customerPath)).body.name, 'Ben')
    assert.equal((await one.ask(addresses[1], customerPath)).status, 401)
    await one.provider.close()
    assert.equal((await other.ask(addresses[1], customerPath)).body.name, 'Ben')
  })
})
