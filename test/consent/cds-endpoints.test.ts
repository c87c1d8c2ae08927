import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  type CdsEndpoint,
  type CdsEndpointId,
  cdsEndpoints,
} from '../../src/contract/cds/shared/endpoints.ts'
import { generateLines } from '../../src/generate/index.ts'
import { drawBank } from '../support/any-bank.ts'
import { openRecordSchemas } from '../support/cds-record-schemas.ts'
import { describeOnce, type Scope, shareOnEachEngine } from '../support/engines.ts'
import { customer } from '../support/lines.ts'
import { type Called, openCdsPlatform, type Sharing, share } from './cds.ts'
import { openCdsDescription } from './described.ts'

/** The record of each endpoint in the field tables of the standards. */
const recordNames: Readonly<Record<CdsEndpointId, string>> = {
  accounts: 'BankingAccountV3',
  account: 'BankingAccountDetailV5',
  balance: 'BankingBalance',
  balances: 'BankingBalance',
  balancesOfAccounts: 'BankingBalance',
  transactions: 'BankingTransactionV2',
  accountDirectDebits: 'BankingDirectDebit',
  directDebits: 'BankingDirectDebit',
  directDebitsOfAccounts: 'BankingDirectDebit',
  accountPayments: 'BankingScheduledPaymentV2',
  payments: 'BankingScheduledPaymentV2',
  paymentsOfAccounts: 'BankingScheduledPaymentV2',
  energyAccounts: 'EnergyAccountV2',
  energyAccount: 'EnergyAccountDetailV4',
  accountInvoices: 'EnergyInvoice',
  invoices: 'EnergyInvoice',
  invoicesOfAccounts: 'EnergyInvoice',
  accountBilling: 'EnergyBillingTransactionV3',
  billing: 'EnergyBillingTransactionV3',
  billingOfAccounts: 'EnergyBillingTransactionV3',
  customer: 'CommonCustomer',
  customerDetail: 'CommonCustomerDetailV2',
}

/** Bounds that include all records, for the endpoints that have them. */
const bounds: Readonly<Record<string, string>> = {
  'oldest-time': '1970-01-01T00:00:00Z',
  'newest-time': '2100-01-01T00:00:00Z',
  'oldest-date': '1970-01-01',
  'newest-date': '2100-01-01',
}

const findSchema = openRecordSchemas()
const findUndescribed = openCdsDescription()
const endpoints = Object.entries<CdsEndpoint>(cdsEndpoints) as [CdsEndpointId, CdsEndpoint][]

const owner = { id: 'owner', email: 'owner@data.example', phoneNumber: '0400 000 111' } as const
const address = { streetAddress: '1 Main Street', locality: 'Sydney', region: 'NSW' }

interface DataLine {
  readonly type: string
  readonly record: { readonly accountId?: string }
}

/** Lines of accounts, all of which belong to one customer. */
function giveToOwner(lines: Iterable<string>): readonly (DataLine & object)[] {
  return [...lines]
    .map((line) => JSON.parse(line) as DataLine)
    .filter(({ type }) => /^(banking|energy)\./.test(type))
    .map((line) => ('holders' in line ? { ...line, holders: [{ customerId: owner.id }] } : line))
}

const generatedLines = giveToOwner(
  generateLines({
    customers: 5,
    seed: 41,
    until: '2026-11-01T00:00:00Z',
    transactions: 10,
    products: 0,
  }),
)
const randomLines = giveToOwner(drawBank(41).lines)

function shareAll(lines: readonly DataLine[], accountVersion: 3 | 4) {
  return shareOnEachEngine(async (scope: Scope) => {
    const platform = await openCdsPlatform(scope, undefined, { accountVersion })
    const { id, ...fields } = owner
    const name = `Customer ${id}`
    const ownerLine = customer(id, { name, ...fields, address: { ...address, postalCode: '2000' } })
    await platform.provider.load([ownerLine, ...lines])
    const ids = lines
      .filter(({ type }) => type.endsWith('.account'))
      .map(({ record }) => record.accountId ?? '')
    const scopes = ['openid', ...new Set(endpoints.map(([, { scope }]) => scope))]
    const sharing = await share(platform, {
      customer: { id, email: owner.email, accounts: [ids[0] ?? '', ids[1] ?? ''] },
      accounts: ids,
      scopes,
    })
    return { platform, sharing, accountIds: await listAccountIds(sharing) }
  })
}

/** Of each kind, by the ids of the third party. */
async function listAccountIds(sharing: Sharing) {
  const list = async (path: string, version: string): Promise<readonly string[]> => {
    const { body } = await sharing.call(`${path}?page-size=1000`, { headers: { 'x-v': version } })
    return body.data.accounts.map(({ accountId }: { accountId: string }) => accountId)
  }
  return {
    banking: await list('/banking/accounts', '3'),
    /** Without accounts of a category that earlier versions do not have. */
    earlier: await list('/banking/accounts', '2'),
    energy: await list('/energy/accounts', '2'),
  }
}

/** Calls an endpoint in each version, for each account if its path has one. */
async function* callAll(
  { method, path, accounts = 'banking', versions, parameters, payLaterSince = 0 }: CdsEndpoint,
  { sharing, accountIds }: Awaited<ReturnType<ReturnType<typeof shareAll>>>,
): AsyncGenerator<Called> {
  const given = Object.entries({ ...bounds, 'page-size': '1000' })
  const query = new URLSearchParams(given.filter(([name]) => name in parameters))
  const [min, max] = versions
  for (let version = min; version <= max; version += 1) {
    const ids = version < payLaterSince ? accountIds.earlier : accountIds[accounts]
    for (const id of path.includes('{accountId}') ? ids : ['']) {
      yield await sharing.call(`${path.replace('{accountId}', id)}?${query}`, {
        method,
        headers: { 'x-v': String(version) },
        ...(method === 'POST' && { body: { data: { accountIds: ids } } }),
      })
    }
  }
}

function readRecords({ response }: CdsEndpoint, { body }: Called): readonly object[] {
  return response.list === undefined ? [body.data] : body.data[response.list]
}

for (const accountVersion of [4, 3] as const) {
  const shareGenerated = shareAll(generatedLines, accountVersion)
  const shareRandom = shareAll(randomLines, accountVersion)

  describeOnce(`from a provider with accounts of version ${accountVersion}`, () => {
    for (const [id, endpoint] of endpoints) {
      const isValid = findSchema(recordNames[id])
      const assertValid = (records: readonly object[]) => {
        for (const record of records) {
          assert.ok(
            isValid(record),
            `${JSON.stringify(isValid.errors)} of ${JSON.stringify(record)}`,
          )
        }
      }

      it(`${endpoint.summary} has complete records of the standards`, async () => {
        const shared = await shareGenerated()
        const logged = shared.platform.log.length
        const records: object[] = []
        for await (const answer of callAll(endpoint, shared)) {
          assert.equal(answer.status, 200, JSON.stringify(answer.body))
          assert.deepEqual(findUndescribed(endpoint, answer), [])
          records.push(...readRecords(endpoint, answer))
        }

        assert.ok(records.length > 0)
        assertValid(records)
        // Version 3 has fewer fields than the standards require.
        const faults = shared.platform.log.slice(logged).filter((line) => /invalidData/.test(line))
        if (accountVersion === 4) assert.deepEqual(faults, [])
      })

      it(`${endpoint.summary} has valid records, or an error, whatever data is loaded`, async () => {
        for await (const answer of callAll(endpoint, await shareRandom())) {
          assert.deepEqual(findUndescribed(endpoint, answer), [])
          if (answer.status === 200) assertValid(readRecords(endpoint, answer))
          else assert.match(answer.body.errors[0].code, /Unavailable/, JSON.stringify(answer.body))
        }
      })
    }
  })
}
