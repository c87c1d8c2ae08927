import type { BrowserSessions } from '../auth/browser-sessions.ts'
import { digest } from '../auth/secrets.ts'
import { signInCallbackPath } from '../contract/index.ts'
import type { ConsentStore } from '../platform/consent/store.ts'
import { parseAccessRules } from '../platform/sign-in/access-rules.ts'
import type { SignIn } from '../platform/sign-in/sign-in.ts'
import { fileError, readSettingFile } from './setting-file.ts'
import type { Settings } from './settings/settings.ts'

const secretBytesMax = 4096

/** A change of these settings ends the sessions of people: they may have other scopes now. */
export function digestRules(settings: Partial<Settings>): string {
  const { consoleIssuer, consoleClientId, consoleClaim, consoleScopes } = settings
  return digest(JSON.stringify([consoleIssuer, consoleClientId, consoleClaim, consoleScopes]))
}

/** Opens the sign-in of people, if an identity provider is set. Nothing is requested from it before it is needed. */
export async function openPlatformSignIn(
  settings: Partial<Settings>,
  sessions: BrowserSessions,
  { artifacts, readSecret }: Pick<ConsentStore, 'artifacts' | 'readSecret'>,
  clock: () => Temporal.Instant,
  seconds?: () => number,
): Promise<SignIn | undefined> {
  const { consoleIssuer: issuer, consoleClientId: clientId, publicUrl: origin } = settings
  const { consoleClientSecretFile: file, consoleClaim: claim = 'groups' } = settings
  const rules = parseAccessRules(settings.consoleScopes ?? '')
  // The settings require the others with the issuer.
  if (issuer === undefined || !clientId || !origin || !file || !rules) return undefined
  const clientSecret = readSettingFile('consoleClientSecretFile', file, secretBytesMax)
    .toString()
    .trim()
  if (clientSecret === '') throw fileError('consoleClientSecretFile', `${file} is empty`)
  const { openIdentityProvider } = await import('../platform/sign-in/identity-provider.ts')
  const { openSignIn } = await import('../platform/sign-in/sign-in.ts')
  const provider = openIdentityProvider({
    ...{ issuer, clientId, clientSecret, claim, rules, clock, seconds },
    redirectUri: origin + signInCallbackPath,
    signedOutUri: `${origin}/console`,
  })
  return openSignIn({
    ...{ provider, sessions, artifacts, clock, seconds, origin },
    rules: digestRules(settings),
    readSecret: () => readSecret('signIn'),
  })
}
