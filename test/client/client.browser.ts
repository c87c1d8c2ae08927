import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { makeSigningKey, toPublicKeySet } from '../../src/auth/signing.ts'
import type { SigningKey } from '../../src/client/index.ts'
import { createScope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openKeyServer } from '../support/key-server.ts'
import { run, runHoldfast, startServer } from '../support/process.ts'
import { openBrowser } from './browser.ts'
import { openSite } from './site.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const customerId = 'c-000001'
const accountId = 'b-000001-2'

/** Runs in the page: uses the client and posts a report of the results. */
const script = `
  const { key, subdomain, customerId, accountId } = JSON.parse(document.body.textContent)
  const report = { pages: [], globals: ['process', 'Buffer', 'require'].filter((name) => name in globalThis) }
  try {
    const { createClient, ResponseError } = await import('holdfast/client')
    const client = createClient({ providerUrl: location.origin, subdomain, key })
    report.customer = await client.getCustomer({ params: { customerId } })
    const { accounts } = await client.listShareableAccounts({ params: { customerId } })
    const accountIds = accounts.map(({ id }) => id).filter((id) => id.startsWith('b-'))
    report.accountIds = accountIds
    const { data } = await client.listBankingBalances({ params: { customerId }, body: { data: { accountIds } } })
    report.balances = data.balances.length
    const input = { params: { customerId, accountId }, query: { 'page-size': 7 } }
    for await (const { data, meta } of client.listBankingTransactions.pages(input)) {
      report.pages.push({ ids: data.transactions.map((each) => each.transactionId), total: meta.totalRecords })
    }
    const error = await client.getCustomer({ params: { customerId: 'un/known' } }).catch((error) => error)
    report.rejected = [error instanceof ResponseError, error.status, error.message, error.operation]
  } catch (error) {
    report.failure = String(error?.stack ?? error)
  }
  await fetch('/report', { method: 'POST', body: JSON.stringify(report) })
`

interface Report {
  readonly globals: readonly string[]
  readonly customer?: { readonly id: string }
  readonly accountIds?: readonly string[]
  readonly balances?: number
  readonly pages: readonly { readonly ids: readonly string[]; readonly total: number }[]
  readonly rejected?: readonly unknown[]
  readonly failure?: string
}

describe('the client in a browser', () => {
  it('signs tokens, sends requests, follows pages and reports errors, without server code', async (t) => {
    const scope = createScope(t)
    const folder = await temporaryFolder(scope)
    const database = await createDatabase(folder)
    const made = await makeSigningKey('ES256', Temporal.Now.instant())
    const key: SigningKey = { ...made.privateKey, kid: made.id, alg: made.algorithm }
    const keyServer = await openKeyServer(toPublicKeySet([made]).keys)
    scope.after(() => keyServer.close())
    const given = { key, subdomain: 's', customerId, accountId }
    const site = await openSite(scope, await compile(folder), script, given)
    const provider = await startServer(scope, ['serve', 'provider'], {
      database,
      subdomain: 's',
      'jwks-url': keyServer.url,
      'provider-url': site.origin,
    })
    site.forwardTo(provider.port)

    const browser = await openBrowser(site.origin)
    scope.after(() => browser.close())
    const report = (await Promise.race([site.report, browser.ended])) as Report

    assert.equal(report.failure, undefined)
    assert.deepEqual(report.globals, [])
    assert.equal(report.customer?.id, customerId)
    assert.ok(report.accountIds?.includes(accountId))
    assert.equal(report.balances, report.accountIds?.length)
    assert.deepEqual(report.rejected, [true, 404, 'Customer not found', 'getCustomer'])
    const [first] = report.pages
    assert.ok(report.pages.length > 2, String(report.pages.length))
    assert.equal(new Set(report.pages.flatMap(({ ids }) => ids)).size, first?.total)
    assert.deepEqual(site.missing, [])
    assert.deepEqual(
      [...new Set(site.served.map((path) => path.split('/').slice(1, 3).join('/')))].sort(),
      ['compiled/client', 'compiled/contract', 'installed/jose'],
    )
  })
})

/** A database with synthetic customers. */
async function createDatabase(folder: string): Promise<string> {
  const database = `sqlite:${join(folder, 'browser.db')}`
  const file = join(folder, 'lines.ndjson')
  const lines = await runHoldfast(['generate', '--customers', '2', '--seed', '1'])
  writeFileSync(file, lines.stdout)
  const { status, stderr } = await runHoldfast(['load', file, '--database', database])
  assert.equal(status, 0, stderr)
  return database
}

/** Compiles the code as it is published, without its declarations. `npm run check` checks its types. */
async function compile(folder: string): Promise<string> {
  const compiled = join(folder, 'compiled')
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const project = ['--project', join(root, 'tsconfig.build.json'), '--outDir', compiled]
  const args = [...project, '--noCheck', '--declaration', 'false']
  const { status, stdout } = await run([process.execPath, compiler, ...args])
  assert.equal(status, 0, stdout)
  return compiled
}
