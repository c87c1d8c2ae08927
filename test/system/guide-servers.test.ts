import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { openRecorder } from '../../src/disclosures/recorder.ts'
import { openConsentStore, openSigningKeyStore } from '../../src/storage/open.ts'
import { makeRecord } from '../consent/disclose.ts'
import { makeArrangement } from '../consent/stores.ts'
import { put } from '../load/lines.ts'
import { readCredentials, requestToken } from '../support/call-platform.ts'
import { makeAuthority } from '../support/certificates.ts'
import { createScope, describeOn, runSql, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { loadInProcess } from '../support/load.ts'
import { makePostgres } from '../support/postgres.ts'
import { runInProcess, type Server, startServer } from '../support/process.ts'
import { runGuideLines } from '../support/run-lines.ts'
import { makeKey } from '../support/tokens.ts'

const bankLines = [put.customer('c1'), put.account('a1', ['c1'])]

/** Before `/v1/…` in the path of a token; no server listens there. */
const publicUrl = 'http://127.0.0.1:1'

/** A folder with one database of a platform and a provider, and what both need at least. */
async function openFolder(scope: Scope) {
  const folder = await temporaryFolder(scope)
  const database = `sqlite:${join(folder, 'own.db')}`
  await loadInProcess(database, bankLines)
  await runInProcess(['keys', 'add', '--database', database])
  const settings = {
    HOLDFAST_DATABASE: database,
    HOLDFAST_ISSUER: `${publicUrl}/bank`,
    HOLDFAST_PROVIDER_URL: publicUrl,
    HOLDFAST_SUBDOMAIN: 'bank',
    HOLDFAST_JWKS_URL: `${publicUrl}/jwks.json`,
    HOLDFAST_PASSCODE_URL: `${publicUrl}/passcodes`,
  }
  const addClient = async (scopeName: string) =>
    readCredentials(
      await runInProcess(['client', 'add', 'me', '--scope', scopeName, '--database', database]),
    )
  return { folder, database, settings, shell: { cwd: folder, settings }, addClient }
}

/** Stores the record of an answer, and the signed heads as a platform logs them. */
async function recordAnswer(database: string, interactionId: string, log: string): Promise<void> {
  const consents = await openConsentStore(database)
  const signingKeys = await openSigningKeyStore(database)
  const heads: string[] = []
  const recorder = openRecorder({
    store: consents.disclosureRecords,
    signingKeys,
    clock: Temporal.Now.instant,
    onHead: ({ chain, number: block, hash }, statement) =>
      heads.push(JSON.stringify({ chain, block, hash, statement })),
    onError: (error) => assert.fail(error),
  })
  await recorder.record(makeRecord({ interactionId }))
  await recorder.close()
  await consents.close()
  await signingKeys.close()
  writeFileSync(log, heads.join('\n'))
}

async function assertServes({ address }: Server): Promise<void> {
  assert.equal((await fetch(`${address}/health/live`)).status, 200)
}

describeOn(
  'sqlite',
  'the commands of a guide with servers, in the order of the text',
  { concurrency: 2 },
  () => {
    it('Consent: a third party is registered, and the servers start', async (t) => {
      const scope = createScope(t)
      const folder = await temporaryFolder(scope)
      const authority = makeAuthority('third parties')
      const server = authority.issue('consent.bank.example')
      for (const [name, text] of Object.entries({
        'budget-keys.json': JSON.stringify({ keys: [makeKey('ES256', 'k1').jwk] }),
        'cert.pem': server.cert,
        'key.pem': server.key,
        'third-parties.pem': authority.cert,
      })) {
        writeFileSync(join(folder, name), text)
      }
      await loadInProcess(`sqlite:${join(folder, 'bank.db')}`, bankLines)

      const { printed, servers } = await runGuideLines(scope, 'consent', { cwd: folder })

      const [platform, platformWithTls, provider] = servers
      assert.ok(platform && platformWithTls && provider)
      assert.match(printed[1] ?? '', /^client_id: \S+$/m)
      const metadata = await fetch(`${platform.address}/.well-known/openid-configuration`)
      assert.partialDeepStrictEqual(await metadata.json(), {
        issuer: 'https://consent.bank.example',
      })
      assert.match(platformWithTls.address, /^https:/)
      await assertServes(provider)
    })

    it('Data for third parties: a consent is listed, withdrawn, and read by a program', async (t) => {
      const scope = createScope(t)
      const { database, settings, shell, addClient } = await openFolder(scope)
      const consents = await openConsentStore(database)
      const from = Temporal.Now.instant()
      const id = '4b4e1d6c-0f6d-4bb0-8e8f-1d2a7f3f9b52'
      await consents.arrangements.add(makeArrangement(id, { from, until: from.add({ hours: 1 }) }))
      await consents.close()
      const platform = await startServer(
        scope,
        ['serve', 'platform'],
        {},
        { environment: settings },
      )
      const token = await requestToken(platform.port, await addClient('consent.read'))
      const variables = { PLATFORM: platform.address, TOKEN: token }

      const { printed } = await runGuideLines(scope, 'data-for-third-parties', {
        ...shell,
        settings: { ...settings, ...variables },
      })

      const [list = '', shown = '', , , page = ''] = printed
      assert.match(list, new RegExp(id))
      assert.match(shown, /active/)
      assert.partialDeepStrictEqual(JSON.parse(page), {
        data: [{ consentId: id, status: 'withdrawn' }],
      })
    })

    it('Prove what was disclosed: records of both sides are shown, exported and verified', async (t) => {
      const scope = createScope(t)
      const { folder, database, settings, shell } = await openFolder(scope)
      const platform = await startServer(
        scope,
        ['serve', 'platform'],
        {},
        { environment: settings },
      )
      const read = (name: string) => readFileSync(join(folder, name), 'utf8')
      const holdfast = async (...args: readonly string[]) =>
        (await runInProcess([...args, '--database', database])).stdout.trim()
      const adapt = async (line: string, [provider]: readonly Server[]): Promise<string> => {
        const [, shownId] = /records show (\S+)$/.exec(line) ?? []
        if (shownId) await recordAnswer(database, shownId, join(folder, 'platform.log'))
        if (provider && line.includes('export --of provider')) {
          const path = '/v1/banking/customer/c1/accounts'
          const token = await holdfast('token', publicUrl + path, '--subdomain', 'bank')
          const headers = { authorization: `Bearer ${token}` }
          const { status } = await fetch(provider.address + path, { headers })
          assert.equal(status, 200)
          await provider.stop()
          writeFileSync(join(folder, 'provider.log'), provider.stderr())
        }
        const [newest = ''] = (await holdfast('keys', 'list', '--of', 'provider'))
          .split('\n')
          .slice(-1)
        return line.replace('cust-1', 'c1').replace('KEY_ID', newest.split(' ')[0] ?? '')
      }

      const { printed } = await runGuideLines(
        scope,
        'records',
        {
          ...shell,
          settings: { ...settings, HOLDFAST_JWKS_URL: `${platform.address}/.well-known/jwks.json` },
        },
        adapt,
      )

      const [shown = '', , verified = '', exported = '', verifiedOfProvider = ''] = printed
      assert.partialDeepStrictEqual(JSON.parse(shown), { operation: 'cds-transactions' })
      assert.match(read('records.csv'), /^time,/)
      assert.match(verified, /^verified 1 record in \d+ blocks? of 1 chain$/m)
      assert.partialDeepStrictEqual(JSON.parse(exported), { operation: 'B1', customerId: 'c1' })
      assert.match(verifiedOfProvider, /^verified 1 record in \d+ blocks? of 1 chain$/m)
      assert.match(await holdfast('keys', 'list', '--of', 'provider'), / active\n.* retired /)
    })

    it('Public products: a client reads them, and those that cannot be published', async (t) => {
      const scope = createScope(t)
      const { settings, shell, addClient } = await openFolder(scope)
      const platform = await startServer(
        scope,
        ['serve', 'platform'],
        {},
        { environment: settings },
      )
      const token = await requestToken(platform.port, await addClient('products.read'))

      const { printed } = await runGuideLines(
        scope,
        'public-products',
        { ...shell, settings: { ...settings, TOKEN: token } },
        (line) =>
          line
            .replace('http://127.0.0.1:8081/v1', `${platform.address}/v1`)
            // The endpoints are below the path of the issuer.
            .replace('http://127.0.0.1:8081', `${platform.address}/bank`),
      )

      for (const text of printed) assert.equal(JSON.parse(text).error, undefined, text)
      assert.equal(printed.length, 2)
    })

    it('Usage and Get Metrics: the register and a client read the counts', async (t) => {
      const scope = createScope(t)
      const { settings, shell, addClient } = await openFolder(scope)
      const client = await addClient('operations.read')

      const { printed, servers } = await runGuideLines(
        scope,
        'usage',
        { ...shell, settings },
        async (line, [platform]) => {
          if (!platform || !line.startsWith('curl')) return line
          const token = await requestToken(platform.port, client)
          return line.replace('http://127.0.0.1:8081', platform.address).replace('$TOKEN', token)
        },
      )

      assert.equal(servers.length, 1)
      for (const server of servers) await assertServes(server)
      assert.equal(printed.length, 1)
      for (const text of printed) assert.equal(JSON.parse(text).error, undefined, text)
    })

    it('A guard: it starts with and without data of its own', async (t) => {
      const scope = createScope(t)
      const { folder, shell } = await openFolder(scope)
      writeFileSync(join(folder, 'api-key.txt'), 'x-api-key: SECRET', { mode: 0o600 })
      writeFileSync(join(folder, 'accounts.ndjson'), bankLines.join('\n'))

      const { servers } = await runGuideLines(scope, 'guard', shell, (line) =>
        line.replace(/ …$/, ''),
      )

      assert.equal(servers.length, 2)
      for (const server of servers) await assertServes(server)
    })

    for (const [guide, name, serverCount] of [
      ['corrections', 'Give notice of corrections', 0],
      ['report', 'Report to the regulator', 0],
      ['overload-and-limits', 'Overload and limits', 2],
      ['see-a-consent', 'See a consent', 0],
      ['console', 'The console', 0],
    ] as const) {
      it(`${name}: each succeeds`, async (t) => {
        const scope = createScope(t)
        const { shell } = await openFolder(scope)

        const { servers } = await runGuideLines(scope, guide, shell, (line) =>
          // It has tests of its own.
          line === 'npx holdfast demo' ? '' : line,
        )

        assert.equal(servers.length, serverCount)
        for (const server of servers) await assertServes(server)
      })
    }
  },
)

describeOn('postgres', 'the commands of the guide PostgreSQL, in the order of the text', () => {
  it('create the tables, load, serve, and move a database of SQLite', async (t) => {
    const scope = createScope(t)
    const postgres = await makePostgres()
    scope.after(() => postgres.remove())
    await postgres.start()
    const folder = await temporaryFolder(scope)
    const roles = readFileSync(new URL('../../docs/postgres-roles.sql', import.meta.url), 'utf8')
    await runSql(roles, postgres.url())
    writeFileSync(join(folder, 'bank.ndjson'), bankLines.join('\n'))
    await loadInProcess(`sqlite:${join(folder, 'bank.db')}`, bankLines)
    const settings = {
      HOLDFAST_PROVIDER_URL: publicUrl,
      HOLDFAST_SUBDOMAIN: 'bank',
      HOLDFAST_JWKS_URL: `${publicUrl}/jwks.json`,
    }
    const adapt = async (line: string): Promise<string> => {
      // The guide says so after the tables were created.
      if (line.includes('load bank.ndjson')) await runSql(roles, postgres.url())
      return line.replace(/postgres:\/\/(\w+)@db\.example\/bank/, (_, role) =>
        postgres.url().replace(/\/\/\w+@/, `//${role}@`),
      )
    }

    const { printed, servers } = await runGuideLines(
      scope,
      'postgresql',
      { cwd: folder, settings },
      adapt,
    )

    const [provider] = servers
    assert.ok(provider)
    await assertServes(provider)
    assert.match(printed[1] ?? '', /^2 lines loaded/)
    assert.match(printed[2] ?? '', /^banking\.account +0 +0 +1 +0$/m)
  })
})
