import { CdsError } from './errors.ts'

/** The headers `x-v` and `x-min-v`. */
export interface VersionHeaders {
  readonly version: string | undefined
  readonly minimumVersion: string | undefined
}

/**
 * The version of the response: the highest that the request accepts, by the headers `x-v` and `x-min-v`. A minimum that is
 * not below the requested version counts as absent.
 */
export function selectVersion(
  { version: requested, minimumVersion: minimum }: VersionHeaders,
  [min, max]: readonly [number, number],
): number {
  if (requested === undefined) throw new CdsError('missingHeader', 'x-v')
  const highest = readVersion('x-v', requested)
  const lowest = minimum === undefined ? highest : readVersion('x-min-v', minimum)
  const version = Math.min(highest, max)
  if (version >= min && version >= Math.min(lowest, highest)) return version
  const detail = `the lowest supported version is ${min}, the highest is ${max}`
  throw new CdsError('unsupportedVersion', detail)
}

function readVersion(header: string, text: string): number {
  if (/^0*[1-9]\d*$/.test(text)) return Number(text)
  throw new CdsError('invalidVersion', `${header} must be a positive integer`)
}
