import type { DisclosureRecord } from '../../disclosures/record.ts'
import { type CdsErrorName, cdsErrors, isCdsError } from '../cds/errors.ts'

/** What a data holder relies upon when it refuses: a rule of the Consumer Data Right, and a standard if the rule refers to one. */
interface RefusalBasis {
  readonly rule: string
  readonly standard?: string
  readonly circumstance: string
}

const harm = {
  rule: '4.7(1)(a)',
  circumstance: 'sharing could cause harm or abuse',
}
const blocked = {
  rule: '4.7(1)(c)',
  circumstance: 'the account, or all data of the customer, is blocked or suspended',
}
const thresholds = 'Non-functional requirements: traffic thresholds'
const traffic = {
  rule: '4.7(1)(d)',
  standard: thresholds,
  circumstance: 'over a traffic threshold',
}

/** Of requests for product data. */
export const productTraffic: RefusalBasis = { ...traffic, rule: '2.5(1)' }

/**
 * What a refusal with each error relies upon. The errors of invalid requests and of failures are no refusals: they have no
 * basis.
 */
export const refusalBases: Readonly<Record<CdsErrorName, RefusalBasis | undefined>> = {
  sharingRefused: harm,
  customerUnavailable: blocked,
  accountUnavailable: blocked,
  energyAccountUnavailable: blocked,
  unavailableAccountInBody: blocked,
  unavailableEnergyAccountInBody: blocked,
  tooManyRequests: traffic,
  missingField: undefined,
  invalidField: undefined,
  invalidDate: undefined,
  invalidPageSize: undefined,
  missingHeader: undefined,
  invalidHeader: undefined,
  invalidVersion: undefined,
  invalidToken: undefined,
  insufficientScope: undefined,
  notImplemented: undefined,
  notFound: undefined,
  unknownProduct: undefined,
  unknownAccount: undefined,
  unknownEnergyAccount: undefined,
  methodNotAllowed: undefined,
  notAcceptable: undefined,
  unsupportedVersion: undefined,
  unknownAccountInBody: undefined,
  unknownEnergyAccountInBody: undefined,
  invalidArrangement: undefined,
  invalidPage: undefined,
  unavailable: undefined,
}

/** UserInfo is refused with an error of OAuth, which does not say in which circumstance. */
const userInfoError = 'access_denied'
const anyCircumstance: RefusalBasis = {
  rule: '4.7(1)(a) or (c)',
  circumstance: 'UserInfo: sharing could cause harm or abuse, or all data is blocked or suspended',
}

/** Undefined if nothing was refused. */
export function findBasis({
  error = '',
  isRefusal,
}: Pick<DisclosureRecord, 'error' | 'isRefusal'>): RefusalBasis | undefined {
  if (!isRefusal) return undefined
  if (error === userInfoError) return anyCircumstance
  return isCdsError(error) ? refusalBases[error] : undefined
}

/** The error code of the standards. */
export function findErrorCode(error: string): string | undefined {
  return isCdsError(error) ? `urn:au-cds:error:${cdsErrors[error][1]}` : undefined
}
