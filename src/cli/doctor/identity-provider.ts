import { download } from '../../auth/download.ts'
import { parseJson } from '../../contract/parse-json.ts'
import { isObject } from '../../contract/schema.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import type { DoctorSettings } from './options.ts'
import { describeUrl } from './remote.ts'

const timeoutMs = 5000
const subject = 'identity provider'

/** Whether people can sign in to the console. */
export async function examineIdentityProvider({
  consoleIssuer: issuer,
}: DoctorSettings): Promise<readonly Finding[]> {
  if (issuer === undefined) return []
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const name = describeUrl(url)
  let metadata: unknown
  try {
    metadata = parseJson(await download(url, AbortSignal.timeout(timeoutMs)))
  } catch (error) {
    const advice = 'Correct HOLDFAST_CONSOLE_ISSUER, or let the platform connect to it.'
    return [problem(subject, `no metadata at ${name}: ${(error as Error).message}`, advice)]
  }
  if (!isObject(metadata)) return [problem(subject, `no metadata at ${name}: not JSON`)]
  if (URL.parse(String(metadata['issuer']))?.href !== new URL(issuer).href) {
    const advice = 'Set HOLDFAST_CONSOLE_ISSUER to the issuer in the metadata.'
    return [problem(subject, `the metadata at ${name} is that of another issuer`, advice)]
  }
  const missing = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'].filter(
    (endpoint) => typeof metadata[endpoint] !== 'string',
  )
  if (missing.length > 0)
    return [problem(subject, `the metadata at ${name} lacks ${missing.join(', ')}`)]
  const methods = metadata['code_challenge_methods_supported']
  if (Array.isArray(methods) && !methods.includes('S256')) {
    const advice = 'Enable PKCE with S256: without it, a stolen code is easier to use.'
    return [warning(subject, `${name} does not announce PKCE with S256`, advice)]
  }
  return [ok(subject, `people can sign in at ${new URL(issuer).host}`)]
}
