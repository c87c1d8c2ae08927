import { join } from 'node:path'
import { findAlgorithm } from '../src/auth/algorithms.ts'
import { openGuard } from '../src/auth/guard.ts'
import { openKeySet } from '../src/auth/key-set.ts'
import { parseToken } from '../src/auth/token.ts'
import { providerOperations } from '../src/contract/index.ts'
import { createDatabase, openReplayStore } from '../src/storage/open.ts'
import type { Bench } from './bank.ts'
import { audience, subdomain } from './load.ts'
import { type Algorithm, algorithms, openMint } from './mint.ts'
import type { Row } from './results.ts'

const tokensCount = 3000
const wave = 50

const operation = providerOperations.getCustomer
const path = '/auth/v1/customer/c1'

/**
 * What the whole check of a token costs beside its signature alone, in CPU time a token: reading, claims,
 * the key, and the claim of its id in SQLite. Tokens arrive in waves, as they do under load, and each wave
 * shares one commit.
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
  const claims = await openReplayStore(database, clock)
  const bases = { provider: audience, resource: audience, platform: audience }
  const guard = openGuard({ subdomain, bases, keys: keySet, replay: claims, clock })
  const mint = openMint(keys, subdomain)
  const minted = await Promise.all(
    Array.from({ length: tokensCount }, () => mint(algorithm, audience + path)),
  )
  const key = await keySet.find(algorithm, keys[algorithm].id)
  const verify = findAlgorithm(algorithm)?.verify
  if (!key || !verify) throw new Error('no key')

  const parsed = minted.map(parseToken)
  const signature = await microseconds(async () => {
    for (const { signedText, signature } of parsed) verify(signedText, key, signature)
  })
  const whole = await microseconds(async () => {
    for (let start = 0; start < tokensCount; start += wave) {
      const group = minted.slice(start, start + wave)
      await Promise.all(
        group.map(async (token) => {
          const asked = { authorization: [`Bearer ${token}`], path, operation }
          await (await guard(asked)).recorded
        }),
      )
    }
  })
  keySet.close()
  await claims.close()
  return { signature, whole }
}

async function microseconds(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / tokensCount
}
