import { errors } from 'oidc-provider'
import type { SigningKeyStore } from '../../auth/signing-key-store.ts'
import { openAccessCheck } from './access.ts'
import { type CdsApi, openCdsApi } from './cds/api.ts'
import type { TokenBinding } from './client-metadata.ts'
import { openCustomers, openProviderClient, type ProviderClientOptions } from './customers.ts'
import {
  answerDashboardRequest,
  type DashboardRequest,
  type DashboardResponse,
  type SessionState,
  sessionSeconds,
} from './dashboard.ts'
import { answerPage } from './flow.ts'
import type { PageRequest, PageResponse } from './flow-context.ts'
import { openFlowRecords } from './flow-records.ts'
import { openFlows } from './flow-state.ts'
import { readBasePath } from './issuer-path.ts'
import { type OpenidOptions, type OpenidProvider, openOpenidProvider } from './openid-provider.ts'
import { type Brand, renderLayout } from './pages/layout.ts'
import { renderError, renderUnavailable } from './pages/steps.ts'
import { openPasscodes, type PasscodeMessage } from './passcodes.ts'
import { answerRevocation, type RevocationResponse } from './revoke-arrangement.ts'
import { openSealedStates } from './sealed-states.ts'
import type { ConsentStore } from './store.ts'

export interface ConsentOptions {
  readonly issuer: string
  readonly providerUrl: string
  readonly subdomain: string
  readonly store: ConsentStore
  readonly signingKeys: SigningKeyStore
  readonly clock: () => Temporal.Instant
  readonly binding: TokenBinding
  readonly requiresAuthority: boolean
  readonly brand: Brand
  /** Must return at once: how long the delivery takes would show that the address is known. */
  readonly deliverPasscode: (message: PasscodeMessage) => void
  /** In a demonstration, the passcode that was sent last to the address. */
  readonly shownPasscode?: ((email: string) => string | undefined) | undefined
  /** In a demonstration, sends and observes the requests to the provider. */
  readonly fetch?: typeof globalThis.fetch | undefined
  readonly onError: OpenidOptions['onError']
  readonly keysMs?: OpenidOptions['keysMs']
  readonly providerMs?: ProviderClientOptions['providerMs']
}

/** The consent role of the platform, without its server. */
export interface Consent {
  /** The scheme, host and port of the issuer. */
  readonly origin: string
  /** The path of the issuer, which all its paths begin with; empty for a host of its own. */
  readonly basePath: string
  readonly brand: Brand
  readonly openid: OpenidProvider
  /** What third parties read. */
  readonly cds: CdsApi
  /** Answers a request to the page of a flow. */
  readonly answerPage: (request: PageRequest) => Promise<PageResponse>
  /** Answers a request to the arrangement revocation endpoint. */
  readonly answerRevocation: (form: URLSearchParams) => Promise<RevocationResponse>
  /** Whether a flow is at the page with the accounts, the only one whose form may be long. */
  readonly isChoosingAccounts: (uid: string, secret: string | undefined) => Promise<boolean>
  /** Answers a request to a page with the consents of a customer. */
  readonly answerDashboard: (request: DashboardRequest) => Promise<DashboardResponse>
}

/** Throws if there is no suitable signing key. */
export async function openConsent(options: ConsentOptions): Promise<Consent> {
  const { issuer, store, clock, brand } = options
  const provider = openProviderClient(options)
  const customers = openCustomers(provider, options.providerMs)
  const flowRecords = openFlowRecords(store.flows, clock, options.onError)
  const openid = await openOpenidProvider({
    ...options,
    flowRecords,
    secrets: {
      cookies: await store.readSecret('cookies'),
      subjects: await store.readSecret('subjects'),
    },
    async readCustomer(customerId) {
      const customer = await customers.read(customerId)
      if (!customer) throw new errors.InvalidGrant('the customer no longer exists')
      return customer
    },
    async renderError(ctx, out) {
      ctx.type = 'html'
      if (ctx.status === 503) {
        ctx.body = renderLayout(brand, renderUnavailable())
        return
      }
      const text = `The website or app that you came from sent a request that cannot be used (${out.error}). Nothing was shared. Go back and start again.`
      ctx.body = renderLayout(brand, renderError('This link cannot be used', text))
    },
  })
  const verifyAccess = openAccessCheck(store, clock)
  const passcodes = await openPasscodes(store, clock, options.deliverPasscode)
  const basePath = readBasePath(issuer)
  const path = `${basePath}/consents`
  const sessions = openSealedStates<SessionState>(
    store.artifacts,
    clock,
    'CustomerSession',
    sessionSeconds,
  )
  const flow = {
    store,
    customers,
    passcodes,
    brand,
    clock,
    flows: openFlows(store.artifacts, clock),
    flowRecords,
    provider: openid.current,
    consentsUrl: `${issuer}/consents`,
    shownPasscode: options.shownPasscode,
  }
  return {
    origin: new URL(issuer).origin,
    basePath,
    brand,
    openid,
    cds: await openCdsApi({ store, verifyAccess, provider, clock }),
    answerPage: (request) => answerPage(flow, request),
    async isChoosingAccounts(uid, secret) {
      if (secret === undefined) return false
      return (await flow.flows.read(secret, uid))?.step === 'accounts'
    },
    answerRevocation: (form) => answerRevocation(flow, form),
    answerDashboard: (request) => answerDashboardRequest({ ...flow, sessions, path }, request),
  }
}
