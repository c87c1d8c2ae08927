import type { Access } from '../auth/access.ts'
import type { BrowserSessions } from '../auth/browser-sessions.ts'
import type { Feature } from '../contract/index.ts'
import type { SignIn } from '../platform/sign-in/sign-in.ts'
import type { TrustedProxies } from './caller-address.ts'

export interface SessionOptions {
  readonly access: Access
  readonly sessions: BrowserSessions
  /** Of people, at an identity provider. */
  readonly signIn?: SignIn | undefined
  readonly features?: readonly Feature[] | undefined
  /** The client of a session without credentials, in the demo only. */
  readonly demoClientId?: string | undefined
  /** Of synthetic customers, in the demo only. */
  readonly exampleEmails?: readonly string[] | undefined
  /** Of the data provider. */
  readonly providerName?: string | undefined
  readonly timeZone?: string | undefined
  readonly trustedProxies?: TrustedProxies | undefined
}
