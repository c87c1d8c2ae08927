import { errors } from 'oidc-provider'
import { flowSeconds } from '../../contract/consent-flows.ts'
import type { ThirdPartyLimits } from '../../contract/traffic-limits.ts'
import { openCustomerAccounts } from './account-details.ts'
import { openAccountObserver } from './account-observer.ts'
import { openCdsApi } from './cds/api.ts'
import { openClientKeys } from './client-keys.ts'
import { formatRecord, listedBlocksMax, type ReadCustomerRecords } from './customer-records.ts'
import {
  openCustomers,
  openProviderClient,
  type ProviderClientOptions,
  refusalText,
  SharingRefused,
} from './customers.ts'
import {
  answerDashboardRequest,
  type DashboardRequest,
  describeRecords,
  type SessionState,
  sessionSeconds,
} from './dashboard.ts'
import { withoutDemoThirdParty } from './demo-third-party.ts'
import { openKeySetFetch } from './fetch-key-set.ts'
import { answerPage } from './flow.ts'
import { type FlowRequest, type FlowState, findFlow } from './flow-context.ts'
import { openFlowRecords } from './flow-records.ts'
import { readBasePath } from './issuer-path.ts'
import { type OpenidOptions, openOpenidProvider } from './openid-provider.ts'
import { type Brand, renderLayout } from './pages/layout.ts'
import type { ShownPasscode } from './pages/sign-in.ts'
import { renderError, renderUnavailable } from './pages/steps.ts'
import { openPasscodes, type PasscodeOptions } from './passcodes.ts'
import { answerRevocation } from './revoke-arrangement.ts'
import { openSealedStates } from './sealed-states.ts'

export interface ConsentOptions
  extends ProviderClientOptions,
    Pick<PasscodeOptions, 'passcodesPerMinute' | 'wrongPasscodesPerMinute' | 'metrics'>,
    Omit<
      OpenidOptions,
      'flowRecords' | 'secrets' | 'readCustomer' | 'renderError' | 'fetchKeySet'
    > {
  readonly brand: Brand
  /** Must return at once: how long the delivery takes would show that the address is known. */
  readonly deliverPasscode: PasscodeOptions['deliver']
  /** In a demonstration, what the page shows of the passcode for an address. */
  readonly showPasscode?: ((email: string) => ShownPasscode) | undefined
  /** Whether the third party of the demo is accepted. */
  readonly isDemo?: boolean | undefined
  /** Which limits third parties have. None if it is not set. */
  readonly thirdPartyLimits?: ThirdPartyLimits | undefined
  /** A monotonic clock, for limits per second and the fetch of keys. */
  readonly seconds?: (() => number) | undefined
}

export type Consent = Awaited<ReturnType<typeof openConsent>>

/** The consent role of the platform, without its server. Throws if there is no suitable signing key. */
export async function openConsent(given: ConsentOptions) {
  const options = given.isDemo ? given : { ...given, store: withoutDemoThirdParty(given.store) }
  const { issuer, store, clock, brand } = options
  const provider = openProviderClient(options)
  const customers = openCustomers(provider, options.providerMs)
  const flowRecords = openFlowRecords(store.flows, clock, options.onError)
  const fetchKeySet = openKeySetFetch(options.seconds)
  const openid = await openOpenidProvider({
    ...options,
    flowRecords,
    fetchKeySet,
    secrets: {
      cookies: await store.readSecret('cookies'),
      subjects: await store.readSecret('subjects'),
    },
    async readCustomer(customerId) {
      const customer = await customers.read(customerId).catch((error: unknown) => {
        throw error instanceof SharingRefused ? denyAccess() : error
      })
      if (!customer) throw new errors.InvalidToken('the customer no longer exists')
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
  const readCustomerAccounts = openCustomerAccounts(provider, customers, options.providerMs)
  const { arrangements } = store
  const observer = openAccountObserver({ arrangements, readCustomerAccounts, provider, clock })
  const openStates = <State>(model: string, seconds: number) =>
    openSealedStates<State>(store.artifacts, clock, model, seconds)
  const basePath = readBasePath(issuer)
  const clientKeys = openClientKeys(fetchKeySet)
  const flow = {
    store,
    customers,
    readCustomerAccounts,
    observer,
    passcodes: await openPasscodes({ ...options, deliver: options.deliverPasscode }),
    brand,
    clock,
    flows: openStates<FlowState>('Flow', flowSeconds),
    flowRecords,
    readProvider: openid.current,
    consentsUrl: `${issuer}/consents`,
    showPasscode: options.showPasscode,
  }
  const dashboard = {
    ...flow,
    sessions: openStates<SessionState>('CustomerSession', sessionSeconds),
    path: `${basePath}/consents`,
  }
  return {
    /** The scheme, host and port of the issuer. */
    origin: new URL(issuer).origin,
    /** The path of the issuer, which all its paths begin with; empty for a host of its own. */
    basePath,
    brand,
    openid,
    /** What third parties read. */
    cds: await openCdsApi({
      ...options,
      observer,
      provider,
      timeZone: brand.timeZone,
    }),
    recordDisclosure: options.recordDisclosure,
    /** Answers a request to the page of a flow. */
    answerPage: (request: FlowRequest) => answerPage(flow, request),
    /** Whether a flow is at the page with the accounts, the only one whose form may be long. */
    async isChoosingAccounts(request: Pick<FlowRequest, 'uid' | 'secret'>): Promise<boolean> {
      return (await findFlow(flow.flows, request))?.state.step === 'accounts'
    },
    /** Answers a request to the arrangement revocation endpoint. */
    answerRevocation: (form: URLSearchParams) => answerRevocation({ ...flow, clientKeys }, form),
    /** Answers a request to a page with the consents of a customer. */
    answerDashboard: (request: DashboardRequest) => answerDashboardRequest(dashboard, request),
    listCustomerRecords: (async (customerId, cursor) => {
      const { records, before } = await describeRecords(flow, customerId, cursor, listedBlocksMax)
      return {
        data: records.map((record) => formatRecord(record, brand)),
        ...(before !== undefined && { next: before }),
      }
    }) satisfies ReadCustomerRecords,
  }
}

/** The answer of UserInfo while the provider refuses to share the data of the customer. The token stays valid. */
function denyAccess(): Error {
  const error = new errors.AccessDenied(refusalText)
  return Object.assign(error, { status: 403, statusCode: 403 })
}
