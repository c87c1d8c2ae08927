import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { algorithmOf } from '../src/auth/algorithms.ts'
import { openGuard } from '../src/auth/guard.ts'
import { openKeySet } from '../src/auth/key-set.ts'
import { makeSigningKey, publicKeySet } from '../src/auth/signing.ts'
import { parseToken } from '../src/auth/token.ts'
import { openSigner } from '../src/client/sign.ts'
import { providerOperations } from '../src/contract/index.ts'
import { openClaimStore } from '../src/storage/open.ts'

/**
 * What the whole check of a token costs beside its signature alone, in CPU time a token: reading, claims,
 * the key, and the claim of its id in SQLite. Tokens arrive in waves, as they do under load, and each wave
 * shares one commit.
 */
const tokens = 4000
const wave = 50

const operation = providerOperations.getCustomer
const base = 'https://bank.example'
const path = '/auth/v1/customer/c1'

console.log(`tokens, CPU microseconds each, ${wave} at a time\n`)
console.log('           signature     whole   ratio')
for (const algorithm of ['ES256', 'PS256'] as const) {
  const key = await makeSigningKey(algorithm, Temporal.Now.instant())
  const server = createServer((_, response) => response.end(JSON.stringify(publicKeySet([key]))))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const clock = () => Temporal.Now.instant()
  const keys = openKeySet({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` })
  const claims = await openClaimStore(`sqlite:${join(folder, 'bench.db')}`, clock)
  const bases = { provider: base, resource: base, platform: base }
  const guard = openGuard({ subdomain: 's', bases, keys, claims, clock })
  const sign = openSigner({ ...key.privateKey, kid: key.id, alg: algorithm }, 's')
  const minted = await Promise.all(Array.from({ length: tokens }, () => sign(base + path)))
  const found = await keys.find(algorithm, key.id)
  const verify = algorithmOf(algorithm)?.verify
  if (!found || !verify) throw new Error('no key')

  const parsed = minted.map(parseToken)
  const signature = await microseconds(async () => {
    for (const { signedText, signature } of parsed) verify(signedText, found, signature)
  })
  const whole = await microseconds(async () => {
    for (let start = 0; start < tokens; start += wave) {
      const group = minted.slice(start, start + wave)
      await Promise.all(
        group.map(async (token) => {
          const asked = { authorization: [`Bearer ${token}`], path, operation }
          await (await guard(asked)).claimed
        }),
      )
    }
  })
  console.log(
    algorithm.padEnd(8) +
      [signature.toFixed(1), whole.toFixed(1)].map((text) => text.padStart(10)).join('') +
      (whole / signature).toFixed(2).padStart(8),
  )
  keys.close()
  await claims.close()
  server.close()
  server.closeAllConnections()
  rmSync(folder, { recursive: true })
}

async function microseconds(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / tokens
}
