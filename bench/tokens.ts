import { join } from 'node:path'
import { findAlgorithm } from '../src/auth/algorithms.ts'
import { openKeySet } from '../src/auth/key-set.ts'
import { parseToken } from '../src/auth/token.ts'
import { createTokenVerifier } from '../src/auth/verify-token.ts'
import { providerOperations } from '../src/contract/index.ts'
import { createDatabase, openReplayStore } from '../src/storage/open.ts'
import type { Bench } from './bench.ts'
import { audience, subdomain } from './load-driver.ts'
import type { Row } from './results.ts'
import { type Algorithm, algorithms, createTokenSigner } from './token-signer.ts'

const tokenCount = 3000
const concurrency = 50

const operation = providerOperations.getCustomer
const path = '/auth/v1/customer/c1'

/**
 * Compares the complete check of a token (parsing, claims, key, replay record in SQLite) with its signature
 * verification, in CPU time per token. Tokens are checked concurrently, as under load, and share commits.
 */
export async function measureTokens(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  for (const algorithm of algorithms) {
    const { signature, whole } = await measure(bench, algorithm)
    const on = 'in process'
    const value = (amount: number) => ({ amount, unit: 'µs' })
    rows.push(
      { group: 'parts', name: `signature, ${algorithm}`, on, value: value(signature) },
      {
        group: 'parts',
        name: `complete token check, ${algorithm}`,
        on,
        value: value(whole),
        ratios: { signature: whole / signature },
      },
    )
  }
  return rows
}

async function measure({ folder, jwksUrl, keys }: Bench, algorithm: Algorithm) {
  const clock = () => Temporal.Now.instant()
  const keySet = openKeySet({ url: jwksUrl })
  const database = `sqlite:${join(folder, `tokens-${algorithm}.db`)}`
  await createDatabase(database)
  const replay = await openReplayStore(database, clock)
  const bases = { provider: audience, resource: audience }
  const verifyToken = createTokenVerifier({ subdomain, bases, keys: keySet, replay, clock })
  const signToken = createTokenSigner(keys, subdomain)
  const tokens = await Promise.all(
    Array.from({ length: tokenCount }, () => signToken(algorithm, audience + path)),
  )
  const key = await keySet.find(algorithm, keys[algorithm].id)
  const verify = findAlgorithm(algorithm)?.verify
  if (!key || !verify) throw new Error(`no key for ${algorithm}`)

  const parsed = tokens.map(parseToken)
  const signature = await measureMicroseconds(async () => {
    for (const { signedText, signature } of parsed) verify(signedText, key, signature)
  })
  const whole = await measureMicroseconds(async () => {
    for (let start = 0; start < tokenCount; start += concurrency) {
      const group = tokens.slice(start, start + concurrency)
      await Promise.all(
        group.map(async (token) => {
          const request = { authorization: [`Bearer ${token}`], path, operation }
          await (await verifyToken(request)).recorded
        }),
      )
    }
  })
  keySet.close()
  await replay.close()
  return { signature, whole }
}

async function measureMicroseconds(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / tokenCount
}
