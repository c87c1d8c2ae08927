import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { digest, isEqual, makeSecret } from '../../auth/secrets.ts'
import { useUp } from './last-changes.ts'
import type { ArtifactStore } from './store.ts'

const ivBytes = 12
const tagBytes = 16

export type SealedStates<State> = ReturnType<typeof openSealedStates<State>>

/**
 * States of browsers, stored so that any process can continue. A state is encrypted with a secret that only the cookie
 * of the browser has: e-mail addresses, customers and their accounts cannot be read in the database. It expires
 * `seconds` after it was saved.
 */
export function openSealedStates<State>(
  artifacts: ArtifactStore,
  clock: () => Temporal.Instant,
  model: string,
  seconds: number,
) {
  const save = async (secret: string, state: State): Promise<void> => {
    const now = clock()
    const payload = seal(secret, JSON.stringify(state))
    await artifacts.put(model, digest(secret), { payload, expires: now.add({ seconds }) }, now)
  }
  /** Returns the secret. */
  const create = async (state: State): Promise<string> => {
    const secret = makeSecret()
    await save(secret, state)
    return secret
  }
  const remove = async (secret: string): Promise<void> => {
    await artifacts.remove(model, digest(secret))
  }
  return {
    save,
    create,
    remove,
    async read(secret: string): Promise<State | undefined> {
      const found = await artifacts.find(model, digest(secret), clock())
      return found && (JSON.parse(unseal(secret, found.payload)) as State)
    },
    /** Stores the state under a new secret, which is returned, and removes that of the old one. */
    async rotate(secret: string, state: State): Promise<string> {
      const next = await create(state)
      await useUp(remove(secret), undefined)
      return next
    },
  }
}

/** A value that a form must send back: another site cannot know it. */
export function makeFormToken(secret: string): string {
  return derive(secret, 'form').toString('base64url')
}

export function isFormToken(secret: string, token: string): boolean {
  return isEqual(token, makeFormToken(secret))
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
