import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { decodeJwt } from 'jose'
import * as openid from 'openid-client'
import { ContractError } from '../../src/contract/index.ts'
import type { ConsentStore } from '../../src/platform/consent/store.ts'
import type { Scope } from '../support/engines.ts'
import { cdsUrl, issuer } from './addresses.ts'
import type { Action, Outcome, State } from './arrangement-model.ts'
import { unavailable } from './arrangement-outcomes.ts'
import { type Browser, openBrowser } from './browser.ts'
import { type FailingDatabase, openFailingDatabase } from './failing-database.ts'
import {
  type ConsentPlatform,
  findPasscode,
  openConsentPlatform,
  type TestCustomer,
} from './platform.ts'
import { revokeArrangement } from './revoke-arrangement.ts'
import {
  cdsClaims,
  fetchFrom,
  registerThirdParty,
  type Started,
  type TestThirdParty,
  type TokenSet,
} from './third-party.ts'

/** Waits before each call of a store. */
export type Gate = () => Promise<void>

export interface PlatformPair {
  readonly platform: ConsentPlatform
  readonly processes: readonly [PlatformProcess, PlatformProcess]
  /** Holds back the calls of both stores. */
  setGate(gate: Gate | undefined): void
}

export interface PlatformProcess {
  readonly port: number
  readonly store: ConsentStore
  readonly database: FailingDatabase
}

/** Two processes of a platform on one database, whose clock is that of the test. */
export async function openPlatformPair(scope: Scope): Promise<PlatformPair> {
  let gate: Gate | undefined
  const databases = [openFailingDatabase(scope), openFailingDatabase(scope)] as const
  const stores: ConsentStore[] = []
  const openStore = async (address: string) => {
    const database = databases[stores.length] ?? assert.fail('a third process')
    const store = withoutTime(delayCalls(await database.openStore(address), () => gate?.()))
    stores.push(store)
    return store
  }
  const platform = await openConsentPlatform(scope, { openStore })
  const ports = [platform.port, await platform.openAnother()]
  const [first, second] = databases.map((database, index) => ({
    port: ports[index] ?? 0,
    store: stores[index] as ConsentStore,
    database,
  }))
  assert.ok(first && second)
  const setGate = (given: Gate | undefined) => {
    gate = given
  }
  return { platform, processes: [first, second], setGate }
}

/** The processes use their own clock, which the test sets. */
function withoutTime(store: ConsentStore): ConsentStore {
  return new Proxy(store, {
    get: (target, name) => (name === 'readTime' ? undefined : Reflect.get(target, name)),
  })
}

type Method = (...args: unknown[]) => Promise<unknown>

function delayCalls<Part extends object>(part: Part, gate: () => Promise<void> | undefined): Part {
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value === 'object' && value !== null) return delayCalls(value, gate)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        await gate()
        return (value as Method).apply(target, args)
      }
    },
  })
}

/** The process that the requests of an action are sent to. */
const current = new AsyncLocalStorage<PlatformProcess>()

export type Actors = Awaited<ReturnType<typeof openActors>>

/** A customer, a third party with a real OpenID client, and an operator. */
export async function openActors(
  { platform }: PlatformPair,
  profile: State['profile'],
  customer: TestCustomer,
) {
  const thirdParty = await registerThirdParty(platform, profile)
  const { config } = thirdParty
  config[openid.customFetch] = (url, options) => fetchFrom(portOf())(url, options)
  const pushed = new Map<
    string,
    { readonly started: Started; readonly accounts: readonly number[] }
  >()
  const flows = new Map<string, OpenFlow>()
  const tokens = new Map<string, TokenSet>()
  /** The IDs of arrangements by their names in the model. */
  const ids = new Map<string, string>()
  const get = <Value>(map: ReadonlyMap<string, Value>, name: string): Value =>
    map.get(name) ?? assert.fail(`there is no ${name}`)

  const perform: {
    [Type in Action['type']]: (action: Action & { type: Type }) => Promise<Outcome>
  } = {
    async push({ seconds, accounts, amended, as }) {
      const { claims } = cdsClaims(seconds)
      const named = amended === undefined ? {} : { cdr_arrangement_id: get(ids, amended) }
      const scope = 'openid bank:accounts.basic:read'
      const started = await thirdParty.start({
        scope,
        claims: JSON.stringify({ ...JSON.parse(claims), ...named }),
      })
      pushed.set(as, { started, accounts })
      return 'pushed'
    },
    async open({ request, as }) {
      const { started, accounts } = get(pushed, request)
      const browser = openBrowser(issuer)
      await visit(browser, () => browser.open(started.url))
      await visit(browser, () => browser.submit('identify', { email: customer.email }))
      const passcode = findPasscode(platform.passcodes, customer.id)
      flows.set(as, { browser, url: browser.page.url, accounts, started, passcode, ids: [] })
      return 'opened'
    },
    async 'sign in'({ flow }) {
      const { browser, url, passcode } = get(flows, flow)
      await visit(browser, () => browser.open(url))
      if (!/value="passcode"/.test(browser.page.text)) return 'signed in'
      const target = await visit(browser, () => browser.submit('passcode', { passcode }))
      return (target && readError(target, thirdParty)) ?? 'signed in'
    },
    async agree({ flow: name }) {
      const flow = get(flows, name)
      const { browser, url, accounts } = flow
      await visit(browser, () => browser.open(url))
      if (/value="accounts"/.test(browser.page.text)) {
        const account = accounts.map((index) => customer.accounts[index] ?? '')
        await visit(browser, () => browser.submit('accounts', { account }))
      }
      const [, id = ''] = /name="arrangement" value="([^"]+)"/.exec(browser.page.text) ?? []
      assert.ok(id, browser.page.text)
      if (!flow.ids.includes(id)) {
        flow.ids.push(id)
        ids.set(`${name}.${flow.ids.length}`, id)
      }
      const target = await visit(browser, () => browser.submit('confirm'))
      if (!target) return 'ended'
      flow.callback = target
      return readError(target, thirdParty) ?? 'code'
    },
    async cancel({ flow }) {
      const { browser, url } = get(flows, flow)
      await visit(browser, () => browser.open(url))
      const target = await visit(browser, () => browser.submit('cancel'))
      return (target && readError(target, thirdParty)) ?? 'not cancelled'
    },
    async exchange({ flow, as }) {
      const { callback, started } = get(flows, flow)
      const received = await thirdParty.exchange(callback ?? assert.fail('no code'), started)
      tokens.set(as, received)
      const id = received['cdr_arrangement_id']
      const [name] = [...ids].find(([, each]) => each === id) ?? []
      return `tokens of ${name}`
    },
    async call({ grant }) {
      const { access_token: token } = get(tokens, grant)
      const headers = new Headers({ 'x-v': '3' })
      const url = cdsUrl('/banking/accounts')
      const response = await openid
        .fetchProtectedResource(config, token, url, 'GET', undefined, headers, {
          DPoP: thirdParty.dpop,
        })
        .catch((error: unknown) => {
          if (error instanceof openid.WWWAuthenticateChallengeError) return error.response
          throw error
        })
      const body = (await response.json()) as ReturnType<JSON['parse']>
      if (response.status === 401) return 'invalid token'
      if (response.status !== 200)
        return response.status === 503 ? unavailable : JSON.stringify(body)
      const names = ['Everyday', 'Holiday']
      const shared = body.data.accounts.map((each: { displayName: string }) =>
        names.indexOf(each.displayName),
      )
      return `accounts ${shared.sort()}`
    },
    async refresh({ grant }) {
      const { refresh_token: token = '' } = get(tokens, grant)
      const refreshed = await openid.refreshTokenGrant(config, token, undefined, {
        DPoP: thirdParty.dpop,
      })
      tokens.set(grant, { ...refreshed, refresh_token: token } as TokenSet)
      return 'refreshed'
    },
    async introspect({ grant }) {
      const { active } = await openid.tokenIntrospection(
        config,
        get(tokens, grant).refresh_token ?? '',
      )
      return active ? 'active' : 'inactive'
    },
    async revoke({ grant }) {
      await openid.tokenRevocation(config, get(tokens, grant).refresh_token ?? '')
      return 'revoked'
    },
    async stop({ arrangement }) {
      const browser = openBrowser(issuer)
      const url = `${issuer}/consents/${get(ids, arrangement)}`
      await visit(browser, () => browser.open(url))
      await visit(browser, () => browser.submit('identify', { email: customer.email }))
      const passcode = findPasscode(platform.passcodes, customer.id)
      await visit(browser, () => browser.submit('passcode', { passcode }))
      await visit(browser, () => browser.open(`${url}/stop`))
      if (!/value="withdraw"/.test(browser.page.text)) return 'not active'
      await visit(browser, () => browser.submit('withdraw'))
      return /You stopped sharing/.test(browser.page.text) ? 'stopped' : 'not active'
    },
    async end({ arrangement }) {
      const { store } = current.getStore() ?? assert.fail()
      const isEnded = await store.arrangements.withdraw(get(ids, arrangement), 'operator', now())
      return isEnded ? 'stopped' : 'not active'
    },
    async withdraw({ arrangement }) {
      const form = { cdr_arrangement_id: get(ids, arrangement) }
      const { status, body } = await revokeArrangement(portOf(), thirdParty, form)
      if (status === 503) return unavailable
      if (status === 401) return body.error
      return status === 204 ? 'stopped' : 'not active'
    },
    async remove() {
      const { store } = current.getStore() ?? assert.fail()
      await store.thirdParties.remove(thirdParty.id, now())
      return 'removed'
    },
    pass: () => assert.fail('time passes for all processes'),
  }

  return {
    ids: ids as ReadonlyMap<string, string>,
    /** Performs an action through a process. */
    perform: (action: Action, process: PlatformProcess): Promise<Outcome> =>
      current.run(process, () =>
        (perform[action.type] as (action: Action) => Promise<Outcome>)(action).catch(toOutcome),
      ),
  }
}

interface OpenFlow {
  readonly browser: Browser
  readonly url: URL
  readonly accounts: readonly number[]
  readonly started: Started
  readonly passcode: string
  /** Of the arrangements that its pages confirmed. */
  readonly ids: string[]
  callback?: URL
}

const now = () => Temporal.Instant.fromEpochMilliseconds(Date.now())

function portOf(): number {
  return current.getStore()?.port ?? assert.fail('no process')
}

/** The page or the answer of an action that ends there. */
class Ended extends Error {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super(outcome)
    this.outcome = outcome
  }
}

/** Sends a request of a browser to the process of the action. Returns the URL at the third party, if it leads there. */
async function visit(
  browser: Browser,
  send: () => Promise<URL | undefined>,
): Promise<URL | undefined> {
  browser.pin(portOf())
  const target = await send()
  if (target) return target
  const { status, text } = browser.page
  if (status === 503) throw new Ended(unavailable)
  if (status === 400) throw new Ended('refused')
  if (status === 422 || status === 429) throw new Ended('passcode unusable')
  assert.equal(status, 200, text)
  return undefined
}

function toOutcome(error: unknown): Outcome {
  if (error instanceof Ended) return error.outcome
  if (error instanceof ContractError && error.code === 'unavailable') return unavailable
  if (error instanceof openid.ResponseBodyError)
    return error.status === 503 ? unavailable : error.error
  if (error instanceof openid.AuthorizationResponseError) return error.error
  const { cause, code } = error as Error & { readonly code?: string }
  // The client itself rejects a response that is too old.
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') return 'invalid_grant'
  if (cause instanceof Response && cause.status === 503) return unavailable
  throw error
}

/** The error in a response to an authorization request. */
function readError(target: URL, { profile }: TestThirdParty): string | undefined {
  const { searchParams } = target
  const parameters =
    profile === 'cds'
      ? decodeJwt(searchParams.get('response') ?? '')
      : Object.fromEntries(searchParams)
  return parameters['error'] as string | undefined
}
