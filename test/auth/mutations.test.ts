import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { describeOnce } from '../support/engines.ts'
import { propertyRuns } from '../support/properties.ts'
import { accountsPath } from '../support/small-bank.ts'
import {
  assertPasses,
  assertRejected,
  fastKeySet,
  sharedTokenProvider,
} from '../support/token-provider.ts'
import { makeKey } from '../support/tokens.ts'

const keys = ['ES256', 'EdDSA', 'PS256', 'RS256'].map((alg) => makeKey(alg, `key-${alg}`))
const open = sharedTokenProvider(() => ({ keys, keySet: fastKeySet() }))

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Every string that differs by one small edit at this index. */
function* neighboursAt(token: string, at: number): Generator<string> {
  const [before, here, after] = [token.slice(0, at), token[at] ?? '', token.slice(at + 1)]
  const next = alphabet[(alphabet.indexOf(here) + 1) % alphabet.length]
  // The last bit of the character: a lenient decoder ignores it if it belongs to no byte.
  const flipped = here === '.' ? 'A' : alphabet[alphabet.indexOf(here) ^ 1]
  const otherCase = here === here.toLowerCase() ? here.toUpperCase() : here.toLowerCase()

  for (const substitute of [next, flipped, otherCase, '.', '=', '+', '/', ' ', '\n', 'é', '\0']) {
    yield before + substitute + after
  }
  for (const extra of ['A', '.', '=', ' ', '\n', '\0', here]) yield before + extra + here + after
  yield before + after
  yield before
  yield token.slice(at)
  if (after !== '') yield before + after[0] + here + after.slice(1)
}

/**
 * The algorithms share the positions, except around the ends of the segments, where bits of the encoding are unused.
 * With `PROPERTY_RUNS`, every position is edited for each of them.
 */
function isEdited(token: string, at: number, part: number): boolean {
  if (process.env['PROPERTY_RUNS'] !== undefined || at % keys.length === part) return true
  return token.slice(Math.max(0, at - 2), at + 3).includes('.') || at + 3 > token.length
}

function* neighbours(token: string, part: number): Generator<string> {
  for (let at = 0; at < token.length; at += 1) {
    if (!isEdited(token, at, part)) continue
    for (const neighbour of neighboursAt(token, at)) {
      // Leading spaces are part of the header, which may have several.
      if (neighbour.replace(/^ +/, '') !== token) yield neighbour
    }
  }
  for (const extra of ['A', '.', '=', ' ', '\n', '\0', token]) yield token + extra
}

describeOnce('a token with one edit is rejected', () => {
  for (const [part, key] of keys.entries()) {
    it(`signed with ${key.alg}, and the original passes`, async () => {
      const provider = await open()
      const token = provider.mint(accountsPath, { iat: undefined }, { typ: undefined }, key)

      let count = 0
      for (const neighbour of neighbours(token, part)) {
        assert.equal(await provider.verify(neighbour), 'rejected', JSON.stringify(neighbour))
        count += 1
      }

      assert.ok(count > (15 * token.length) / keys.length, String(count))
      await assertPasses(provider, token)
      assertRejected(await provider.ask(token))
    })
  }
})

describeOnce('a token with several edits is rejected', () => {
  /** Bytes that a header can carry. */
  const byte = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...alphabet) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 0x21, max: 0x7e }).map((c) => String.fromCharCode(c)),
    },
  )
  const position = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  const edit = fc.oneof(
    fc.record({ kind: fc.constant('substitute' as const), position, byte }),
    fc.record({ kind: fc.constant('insert' as const), position, byte }),
    fc.record({ kind: fc.constant('delete' as const), position, byte }),
    fc.record({ kind: fc.constant('truncate' as const), position, byte }),
    fc.record({ kind: fc.constant('duplicate' as const), position, byte }),
    fc.record({ kind: fc.constant('flip case' as const), position, byte }),
  )
  const apply = (
    token: string,
    { kind, position, byte }: typeof edit extends fc.Arbitrary<infer Edit> ? Edit : never,
  ) => {
    const at = Math.floor(position * token.length)
    const [before, here, after] = [token.slice(0, at), token[at] ?? '', token.slice(at + 1)]
    switch (kind) {
      case 'substitute':
        return before + byte + after
      case 'insert':
        return before + byte + here + after
      case 'delete':
        return before + after
      case 'truncate':
        return before
      case 'duplicate':
        return token.slice(0, at + 1) + token.slice(at)
      case 'flip case':
        return (
          before + (here === here.toLowerCase() ? here.toUpperCase() : here.toLowerCase()) + after
        )
    }
  }

  it('over HTTP, and the original passes', async () => {
    const provider = await open()
    const chosen = fc.constantFrom(...keys)
    const edits = fc.array(edit, { minLength: 1, maxLength: 4 })

    await fc.assert(
      fc.asyncProperty(chosen, edits, async (key, mutations) => {
        const token = provider.mint(accountsPath, {}, {}, key)
        const mutated = mutations.reduce(apply, token)
        fc.pre(mutated !== token)

        // An empty token is sent as no token.
        assertRejected(await provider.ask(mutated), mutated === '' ? 'Bearer' : undefined)
        await assertPasses(provider, token)
      }),
      propertyRuns(25),
    )
  })

  it('with changed bytes, encoded again', async () => {
    const provider = await open()
    const segment = fc.constantFrom(0, 1, 2)
    const flip = fc.integer({ min: 1, max: 255 })

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...keys),
        segment,
        position,
        flip,
        async (key, which, where, bits) => {
          const token = provider.mint(accountsPath, {}, {}, key)
          const segments = token.split('.')
          const bytes = Buffer.from(segments[which] ?? '', 'base64url')
          const at = Math.floor(where * bytes.length)
          bytes[at] = (bytes[at] ?? 0) ^ bits
          segments[which] = bytes.toString('base64url')

          assertRejected(await provider.ask(segments.join('.')))
          await assertPasses(provider, token)
        },
      ),
      propertyRuns(25),
    )
  })
})
