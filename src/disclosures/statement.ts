import { CompactSign, compactVerify, errors, importJWK } from 'jose'
import { toPublicJwk } from '../auth/signing.ts'
import {
  findNewestKey,
  type SigningKey,
  type SigningKeyStore,
  toPrivateJwk,
} from '../auth/signing-key-store.ts'
import { ContractError } from '../contract/index.ts'
import type { Head } from './block.ts'

/**
 * What a process states about its chain: that it begins or ends, or which block was the last one. `head` is the block before
 * the statement. `removed` are the last ones of the blocks that it is about to remove because they are old enough.
 */
export interface Statement {
  readonly kind: 'start' | 'head' | 'end' | 'removal'
  readonly time: string
  readonly head: Head
  /** The last blocks of the other chains that grow, so that the removal of their end is found. */
  readonly others?: readonly Head[]
  readonly removed?: readonly Head[]
}

/** Signed by the newest key. Throws without one. */
export async function signStatement(
  store: Pick<SigningKeyStore, 'list'>,
  statement: Statement,
): Promise<string> {
  const jwk = toPrivateJwk(await requireKey(store))
  return new CompactSign(Buffer.from(JSON.stringify(statement)))
    .setProtectedHeader({ alg: jwk.alg, kid: jwk.kid, typ: statementType })
    .sign(await importJWK(jwk))
}

/** The newest key. Throws without one. */
export async function requireKey(store: Pick<SigningKeyStore, 'list'>): Promise<SigningKey> {
  const key = await findNewestKey(store)
  if (!key)
    throw new ContractError('unavailable', 'no active key to sign records: see holdfast keys')
  return key
}

/** Other texts that the same key signs are no statements. */
const statementType = 'holdfast-records+jws'

export type VerifyStatement = (statement: string) => Promise<Statement | undefined>

/** Returns a function that verifies statements by all keys of the platform, retired ones included. */
export async function openStatements(
  store: Pick<SigningKeyStore, 'list'>,
): Promise<VerifyStatement> {
  const keys = new Map((await store.list()).map((key) => [key.id, toPublicJwk(key)]))
  return async (statement) => {
    try {
      const { payload, protectedHeader } = await compactVerify(statement, ({ kid = '' }) => {
        const key = keys.get(kid)
        if (!key) throw new errors.JWKSNoMatchingKey()
        return importJWK(key)
      })
      if (protectedHeader.typ !== statementType) return undefined
      return JSON.parse(Buffer.from(payload).toString()) as Statement
    } catch (error) {
      // A `TypeError`: the key is not one of the algorithm that the statement names.
      if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
      throw error
    }
  }
}
