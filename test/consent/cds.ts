import assert from 'node:assert/strict'
import * as openid from 'openid-client'
import type { Scope } from '../support/engines.ts'
import {
  balance,
  bankingAccount,
  billing,
  customer,
  energyAccount,
  transaction,
} from '../support/lines.ts'
import { cdsUrl } from './addresses.ts'
import {
  type ConsentPlatform,
  identify,
  openConsentPlatform,
  type PlatformOptions,
  type TestCustomer,
} from './platform.ts'
import { fetchFrom, registerThirdParty, type TestThirdParty, type TokenSet } from './third-party.ts'

export const allScopes = [
  'openid',
  'common:customer.basic:read',
  'bank:accounts.basic:read',
  'bank:transactions:read',
  'energy:accounts.basic:read',
  'energy:billing:read',
]

/** Shares three bank accounts and an energy account in the tests. `b1` belongs to another customer. */
export const ana = { id: 'ana', email: 'ana@data.example', accounts: ['d1', 'd2'] } as const

export const savings = { productName: 'Savings', productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS' }

export const dataLines = [
  customer(ana.id, {
    name: 'Customer ana',
    givenName: 'Ana',
    familyName: 'Silva',
    email: ana.email,
    phoneNumber: '+61400000111',
  }),
  customer('ben', { name: 'Ben', email: 'ben@data.example' }),
  bankingAccount('d1', { ana: true }, { displayName: 'Everyday', ...savings }),
  bankingAccount('d2', { ana: true }, { displayName: 'Holiday', ...savings }),
  bankingAccount(
    'd3',
    { ana: true },
    { productName: 'Later', productCategory: 'BUY_NOW_PAY_LATER', openStatus: 'CLOSED' },
  ),
  bankingAccount('d4', { ana: true }, { displayName: 'Never shared', ...savings }),
  bankingAccount('d6', { ana: true }, { displayName: 'Without a balance', ...savings }),
  bankingAccount('b1', { ben: true }, savings),
  energyAccount('d5', ['ana'], {
    displayName: 'Home power',
    creationDate: '2020-02-29T00:00:00Z',
    plans: [{ servicePointIds: ['41000000001'], planOverview: { startDate: '2020-02-29' } }],
  }),
  ...['2026-05-01', '2026-06-01', '2024-01-01'].map((issueDate) => ({
    type: 'energy.invoice',
    record: {
      accountId: 'd5',
      invoiceNumber: `invoice ${issueDate}`,
      issueDate,
      balanceAtIssue: '20',
      servicePoints: ['41000000001'],
      paymentStatus: 'NOT_PAID',
    },
  })),
  billing('d5', 'p1', '2026-05-15T09:30:00', '20'),
  billing('d5', 'p2', '2025-01-15T09:30:00'),
  balance('d1', { currentBalance: '10', availableBalance: '-9.5' }),
  ...['d2', 'd3', 'd4', 'b1'].map((id) => balance(id)),
  ...['t1', 't2', 't3'].map((id, index) =>
    transaction('d1', id, {
      postingDateTime: `2026-06-0${index + 1}T00:00:00Z`,
      amount: `-${index}.5`,
      description: `Shop ${index}`,
    }),
  ),
  transaction('d1', 'old', { postingDateTime: '2026-01-01T00:00:00Z' }),
  transaction('b1', 'of-ben'),
]

/** A platform whose provider has data for every endpoint. */
export async function openCdsPlatform(
  scope: Scope,
  prepare?: PlatformOptions['prepare'],
  options: PlatformOptions = {},
): Promise<ConsentPlatform> {
  const platform = await openConsentPlatform(scope, { ...options, prepare })
  await platform.provider.load(dataLines)
  return platform
}

export interface Called {
  readonly status: number
  readonly headers: Headers
  readonly body: ReturnType<JSON['parse']>
}

export interface CallOptions {
  readonly method?: string
  readonly body?: unknown
  /** Undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Another process. */
  readonly port?: number
}

/** A third party with the token of a consent. */
export interface Sharing {
  readonly thirdParty: TestThirdParty
  readonly tokens: TokenSet
  readonly arrangementId: string
  /** Calls an endpoint with a new proof. `path` is after the base path. */
  call(path: string, options?: CallOptions): Promise<Called>
  /** The headers of the last call, as an attacker would see them. */
  readonly sent: () => Readonly<Record<string, string>>
}

export interface Choices {
  readonly customer?: TestCustomer
  readonly accounts?: readonly string[]
  readonly scopes?: readonly string[]
  /** Otherwise a new one. */
  readonly thirdParty?: TestThirdParty
}

/** Walks through a whole consent. A customer can give at most five in a test file. */
export async function share(
  platform: ConsentPlatform,
  { customer = ana, accounts = ['d1'], scopes = allScopes, ...choices }: Choices = {},
): Promise<Sharing> {
  const { thirdParty = await registerThirdParty(platform, 'plain', { scopes }) } = choices
  const started = await thirdParty.start({ scope: scopes.join(' '), sharing_duration: '3600' })
  const browser = platform.browse()
  await browser.open(started.url)
  await identify(browser, platform, customer)
  await browser.submit('accounts', { account: accounts })
  const callback = await browser.submit('confirm')
  const tokens = await thirdParty.exchange(callback ?? assert.fail(browser.page.text), started)
  let sent: Record<string, string> = {}
  return {
    thirdParty,
    tokens,
    arrangementId: String(tokens['cdr_arrangement_id']),
    sent: () => sent,
    async call(path, { method = 'GET', body, headers = {}, port = platform.port } = {}) {
      const { config, dpop } = thirdParty
      const send = fetchFrom(port)
      config[openid.customFetch] = (url, options) => {
        sent = Object.fromEntries(new Headers(options.headers as Record<string, string>))
        return send(url, options)
      }
      const all = { 'x-v': '1', 'content-type': 'application/json', ...headers }
      const given = Object.entries(all).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as [string, string]],
      )
      const text = body === undefined ? undefined : JSON.stringify(body)
      const response = await openid
        .fetchProtectedResource(
          config,
          tokens.access_token,
          cdsUrl(path),
          method,
          text,
          new Headers(given),
          {
            DPoP: dpop,
          },
        )
        .catch((error: unknown) => {
          // The library throws for every response with a challenge.
          if (error instanceof openid.WWWAuthenticateChallengeError) return error.response
          throw error
        })
      return {
        status: response.status,
        headers: response.headers,
        body: await response.json(),
      }
    },
  }
}

/** Asserts the error list of the Consumer Data Standards. */
export function assertError({ status, body }: Called, expected: number, code: string): void {
  assert.equal(status, expected, JSON.stringify(body))
  const [error] = body.errors
  assert.equal(error.code, `urn:au-cds:error:${code}`)
  assert.ok(error.title.length > 0 && error.detail.length > 0)
}
