import { type TrafficLimit, trafficLimits } from '../../contract/traffic-limits.ts'

/** The error codes of the Consumer Data Standards that Holdfast returns, with the title that belongs to each. */
export const cdsErrors = {
  missingField: [400, 'cds-all:Field/Missing', 'Missing Required Field'],
  invalidField: [400, 'cds-all:Field/Invalid', 'Invalid Field'],
  invalidDate: [400, 'cds-all:Field/InvalidDateTime', 'Invalid Date'],
  invalidPageSize: [400, 'cds-all:Field/InvalidPageSize', 'Invalid Page Size'],
  missingHeader: [400, 'cds-all:Header/Missing', 'Missing Required Header'],
  invalidHeader: [400, 'cds-all:Header/Invalid', 'Invalid Header'],
  invalidVersion: [400, 'cds-all:Header/InvalidVersion', 'Invalid Version'],
  invalidToken: [401, 'cds-all:GeneralError/Expected', 'Expected Error Encountered'],
  insufficientScope: [403, 'cds-all:Authorisation/InvalidConsent', 'Consent Is Invalid'],
  sharingRefused: [403, 'cds-all:GeneralError/Expected', 'Expected Error Encountered'],
  notImplemented: [404, 'cds-all:Resource/NotImplemented', 'Resource Not Implemented'],
  notFound: [404, 'cds-all:Resource/NotFound', 'Resource Not Found'],
  unknownProduct: [404, 'cds-all:Resource/Invalid', 'Invalid Resource'],
  customerUnavailable: [404, 'cds-all:Resource/Unavailable', 'Unavailable Resource'],
  unknownAccount: [
    404,
    'cds-banking:Authorisation/InvalidBankingAccount',
    'Invalid Banking Account',
  ],
  accountUnavailable: [
    404,
    'cds-banking:Authorisation/UnavailableBankingAccount',
    'Unavailable Banking Account',
  ],
  unknownEnergyAccount: [
    404,
    'cds-energy:Authorisation/InvalidEnergyAccount',
    'Invalid Energy Account',
  ],
  energyAccountUnavailable: [
    404,
    'cds-energy:Authorisation/UnavailableEnergyAccount',
    'Unavailable Energy Account',
  ],
  methodNotAllowed: [405, 'cds-all:GeneralError/Expected', 'Expected Error Encountered'],
  notAcceptable: [406, 'cds-all:GeneralError/Expected', 'Expected Error Encountered'],
  unsupportedVersion: [406, 'cds-all:Header/UnsupportedVersion', 'Unsupported Version'],
  unknownAccountInBody: [
    422,
    'cds-banking:Authorisation/InvalidBankingAccount',
    'Invalid Banking Account',
  ],
  unavailableAccountInBody: [
    422,
    'cds-banking:Authorisation/UnavailableBankingAccount',
    'Unavailable Banking Account',
  ],
  unknownEnergyAccountInBody: [
    422,
    'cds-energy:Authorisation/InvalidEnergyAccount',
    'Invalid Energy Account',
  ],
  unavailableEnergyAccountInBody: [
    422,
    'cds-energy:Authorisation/UnavailableEnergyAccount',
    'Unavailable Energy Account',
  ],
  invalidArrangement: [
    422,
    'cds-all:Authorisation/InvalidArrangement',
    'Invalid Consent Arrangement',
  ],
  invalidPage: [422, 'cds-all:Field/InvalidPage', 'Invalid Page'],
  tooManyRequests: [429, 'cds-all:GeneralError/Expected', 'Expected Error Encountered'],
  unavailable: [503, 'cds-all:Service/Unavailable', 'Service Unavailable'],
} as const satisfies Record<string, readonly [number, string, string]>

export type CdsErrorName = keyof typeof cdsErrors

export function isCdsError(name: string): name is CdsErrorName {
  return Object.hasOwn(cdsErrors, name)
}

/** The errors about accounts, by their kind. */
export const accountErrors = {
  banking: {
    unknown: 'unknownAccount',
    unavailable: 'accountUnavailable',
    unknownInBody: 'unknownAccountInBody',
    unavailableInBody: 'unavailableAccountInBody',
  },
  energy: {
    unknown: 'unknownEnergyAccount',
    unavailable: 'energyAccountUnavailable',
    unknownInBody: 'unknownEnergyAccountInBody',
    unavailableInBody: 'unavailableEnergyAccountInBody',
  },
} as const satisfies Record<string, Record<string, CdsErrorName>>

/** An error that is reported to the client, once for each detail. A detail names what is wrong. */
export class CdsError extends Error {
  override readonly name = 'CdsError'
  readonly error: CdsErrorName
  readonly status: number
  readonly body: ReturnType<typeof toList>
  readonly headers: Readonly<Record<string, string>>
  readonly limit: TrafficLimit | undefined
  readonly isRefusal: boolean

  constructor(
    error: CdsErrorName,
    details: string | readonly string[],
    headers: Readonly<Record<string, string>> = {},
    options?: CdsErrorOptions,
  ) {
    super(error, options)
    const [status, code, title] = cdsErrors[error]
    this.error = error
    this.status = status
    this.headers = headers
    this.limit = options?.limit
    this.isRefusal = options?.isRefusal ?? false
    this.body = toList(code, title, [details].flat())
  }
}

/** The error of a request over a limit of third parties. It names the limit. */
export function limitError(limit: TrafficLimit, waitSeconds: number): CdsError {
  const headers = { 'retry-after': String(Math.max(1, Math.ceil(waitSeconds))) }
  const detail = `over the limit ${limit}: ${trafficLimits[limit]}`
  return new CdsError('tooManyRequests', detail, headers, { limit, isRefusal: true })
}

interface CdsErrorOptions extends ErrorOptions {
  /** Whether the data holder refuses to share. Other errors with the same name do not come from a refusal. */
  readonly isRefusal?: boolean | undefined
  /** The limit that the request is over. */
  readonly limit?: TrafficLimit | undefined
}

/** The body for an error that the server raises for every kind of route, such as one of the body’s syntax. */
export function toCdsErrorList(status: number, detail: string) {
  if (status === 503) return new CdsError('unavailable', detail).body
  return status < 500
    ? toList('cds-all:GeneralError/Expected', 'Expected Error Encountered', [detail])
    : toList('cds-all:GeneralError/Unexpected', 'Unexpected Error Encountered', [detail])
}

function toList(code: string, title: string, details: readonly string[]) {
  return { errors: details.map((detail) => ({ code: `urn:au-cds:error:${code}`, title, detail })) }
}
