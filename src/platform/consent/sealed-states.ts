import { deriveKey, seal, unseal } from '../../auth/sealing.ts'
import { digest, isEqual, makeSecret } from '../../auth/secrets.ts'
import { useUp } from './last-changes.ts'
import type { ArtifactStore } from './store.ts'

const toKey = (secret: string) => deriveKey(secret, 'state')

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
    const payload = JSON.stringify(seal(toKey(secret), JSON.stringify(state)))
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
      return found && (JSON.parse(unseal(toKey(secret), JSON.parse(found.payload))) as State)
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
  return deriveKey(secret, 'form').toString('base64url')
}

export function isFormToken(secret: string, token: string): boolean {
  return isEqual(token, makeFormToken(secret))
}
