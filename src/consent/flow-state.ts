import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  randomUUID,
  timingSafeEqual,
} from 'node:crypto'
import { digest } from '../auth/secrets.ts'
import { flowSeconds } from './openid-configuration.ts'
import type { ArtifactStore } from './store.ts'

/** Where a customer is in a consent flow. */
export interface FlowState {
  /** The interaction of the OpenID provider that it belongs to. */
  readonly uid: string
  /** Of the arrangement that the flow may end with. Drawn at the start, so that confirming twice makes one arrangement. */
  readonly arrangementId: string
  readonly step: 'identify' | 'passcode' | 'accounts' | 'confirm'
  readonly email?: string
  /** Milliseconds since 1970. */
  readonly passcodeExpires?: number
  /** The authenticated customer. */
  readonly customerId?: string
  readonly accountIds?: readonly string[]
}

const secretBytes = 32
const ivBytes = 12
const tagBytes = 16
const model = 'Flow'

/**
 * Stores the state of flows, so that any process can continue one. A state is encrypted with a secret that only the
 * browser has: e-mail addresses, customers and their accounts cannot be read in the database.
 */
export interface Flows {
  read(secret: string, uid: string): Promise<FlowState | undefined>
  /** Returns the secret. */
  start(uid: string): Promise<{ readonly secret: string; readonly state: FlowState }>
  save(secret: string, state: FlowState): Promise<void>
  /** Stores the state under a new secret, which is returned, and removes that of the old one. */
  rotate(secret: string, state: FlowState): Promise<string>
}

export function openFlows(artifacts: ArtifactStore, clock: () => Temporal.Instant): Flows {
  const save = async (secret: string, state: FlowState): Promise<void> => {
    const now = clock()
    const expires = now.add({ seconds: flowSeconds })
    const payload = seal(secret, JSON.stringify(state))
    await artifacts.put(model, digest(secret), { payload, expires }, now)
  }
  const create = async (state: FlowState): Promise<string> => {
    const secret = randomBytes(secretBytes).toString('base64url')
    await save(secret, state)
    return secret
  }
  return {
    save,
    async read(secret, uid) {
      const found = await artifacts.find(model, digest(secret), clock())
      const state: FlowState | undefined = found && JSON.parse(unseal(secret, found.payload))
      return state?.uid === uid ? state : undefined
    },
    async start(uid) {
      const state: FlowState = { uid, arrangementId: randomUUID(), step: 'identify' }
      return { secret: await create(state), state }
    },
    async rotate(secret, state) {
      const next = await create(state)
      await artifacts.remove(model, digest(secret))
      return next
    },
  }
}

/** A value that a form must send back: another site cannot know it. */
export function makeFormToken(secret: string): string {
  return derive(secret, 'form').toString('base64url')
}

export function isFormToken(secret: string, token: string): boolean {
  const expected = Buffer.from(makeFormToken(secret))
  const actual = Buffer.from(token)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

function derive(secret: string, purpose: string): Buffer {
  return createHmac('sha256', secret).update(purpose).digest()
}

function seal(secret: string, text: string): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', derive(secret, 'state'), iv)
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  return JSON.stringify(Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url'))
}

function unseal(secret: string, payload: string): string {
  const bytes = Buffer.from(JSON.parse(payload), 'base64url')
  const decipher = createDecipheriv(
    'aes-256-gcm',
    derive(secret, 'state'),
    bytes.subarray(0, ivBytes),
  )
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  return Buffer.concat([
    decipher.update(bytes.subarray(ivBytes + tagBytes)),
    decipher.final(),
  ]).toString()
}
