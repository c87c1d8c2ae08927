import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { digest } from '../../auth/secrets.ts'
import { useUp } from './last-changes.ts'
import type { ArtifactStore } from './store.ts'

const secretBytes = 32
const ivBytes = 12
const tagBytes = 16

/**
 * States of browsers, stored so that any process can continue. A state is encrypted with a secret that only the cookie
 * of the browser has: e-mail addresses, customers and their accounts cannot be read in the database.
 */
export interface SealedStates<State> {
  read(secret: string): Promise<State | undefined>
  save(secret: string, state: State): Promise<void>
  /** Returns the secret. */
  create(state: State): Promise<string>
  /** Stores the state under a new secret, which is returned, and removes that of the old one. */
  rotate(secret: string, state: State): Promise<string>
  remove(secret: string): Promise<void>
}

/** A state expires `seconds` after it was saved. */
export function openSealedStates<State>(
  artifacts: ArtifactStore,
  clock: () => Temporal.Instant,
  model: string,
  seconds: number,
): SealedStates<State> {
  const states: SealedStates<State> = {
    async read(secret) {
      const found = await artifacts.find(model, digest(secret), clock())
      return found && (JSON.parse(unseal(secret, found.payload)) as State)
    },
    async save(secret, state) {
      const now = clock()
      const payload = seal(secret, JSON.stringify(state))
      await artifacts.put(model, digest(secret), { payload, expires: now.add({ seconds }) }, now)
    },
    async create(state) {
      const secret = makeStateSecret()
      await states.save(secret, state)
      return secret
    },
    async rotate(secret, state) {
      const next = await states.create(state)
      await useUp(states.remove(secret), undefined)
      return next
    },
    async remove(secret) {
      await artifacts.remove(model, digest(secret))
    },
  }
  return states
}

export function makeStateSecret(): string {
  return randomBytes(secretBytes).toString('base64url')
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
