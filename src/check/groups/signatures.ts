import type { CheckContext } from '../context.ts'
import { authentication, type Check } from '../definition.ts'
import {
  base64url,
  compact,
  hmac,
  newPrivateJwk,
  publicJwk,
  publicKeyOf,
  unsigned,
} from '../jws.ts'
import { fail, judgeEach, skip } from '../outcome.ts'
import { expectAccepted, expectRejected, type Probe, probeOf } from '../probe.ts'
import { type Segments, segmentsOf } from '../token-cases.ts'

const valid = authentication('2.1', 'the signature is valid')
const published = authentication(
  '2',
  'The receiver verifies the token using the JWKS URL of the provider instance',
)

interface Good {
  readonly probe: Probe
  readonly token: string
  readonly parts: Segments
  readonly header: Record<string, unknown>
  readonly payload: Record<string, unknown>
}

/** A fresh good token, taken apart. It is not sent: what is made of it is. */
async function goodToken(world: CheckContext): Promise<Good> {
  const probe = await probeOf(world)
  const token = world.token(world.resource(probe.operation, probe.ask.params))
  const parts = segmentsOf(token)
  return { probe, token, parts, header: decoded(parts.head), payload: decoded(parts.body) }
}

function decoded(segment: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(segment, 'base64url').toString()) as Record<string, unknown>
}

/** Several ways to spoil a token, each of a fresh one. */
function spoiled(
  id: string,
  title: string,
  ways: Readonly<Record<string, (good: Good, world: CheckContext) => string | Promise<string>>>,
  profile: Check['profile'] = 'full',
  clause = valid,
): Check {
  return {
    id: `tokens.${id}`,
    title,
    clause,
    profile,
    run: (world) =>
      judgeEach(
        Object.entries(ways),
        ([name]) => name,
        async ([name, spoil]) => {
          const good = await goodToken(world)
          await expectRejected(world, name, await spoil(good, world), good.probe)
        },
      ),
  }
}

/** What a careless verifier takes for the secret of an HMAC: the public key in its usual spellings. */
function secrets({ key }: CheckContext): Record<string, string | Uint8Array> {
  const publicKey = publicKeyOf(key)
  const jwk = publicJwk(key)
  return {
    'its PEM': publicKey.export({ format: 'pem', type: 'spki' }) as string,
    'its DER': publicKey.export({ format: 'der', type: 'spki' }) as Buffer,
    'its JWK': JSON.stringify(publicKey.export({ format: 'jwk' })),
    'its JWK as published': JSON.stringify(jwk),
    'its x or n': String(jwk['x'] ?? jwk['n']),
    nothing: '',
  }
}

function unsignedAs(alg: string): (good: Good) => string {
  return ({ header, payload }) => `${unsigned({ ...header, alg }, payload)}.`
}

export const signatures: readonly Check[] = [
  spoiled(
    'signature.altered',
    'A token whose signature was altered is refused',
    {
      'a token with an altered signature': ({ parts: { head, body, tail } }) =>
        `${head}.${body}.${flipped(tail)}`,
      'a token whose claims were altered': ({ parts: { head, tail }, payload }) =>
        `${head}.${base64url(JSON.stringify({ ...payload, exp: Number(payload['exp']) + 1 }))}.${tail}`,
      'a token whose header was altered': ({ parts: { body, tail }, header }) =>
        `${base64url(JSON.stringify({ ...header, typ: 'jwt' }))}.${body}.${tail}`,
    },
    'smoke',
  ),
  spoiled('signature.missing', 'A token without a signature is refused', {
    'a token with an empty signature': ({ parts: { head, body } }) => `${head}.${body}.`,
    'a token of two segments': ({ parts: { head, body } }) => `${head}.${body}`,
    'a signature of zeros': ({ parts: { head, body, tail } }) =>
      `${head}.${body}.${base64url(Buffer.alloc(Buffer.from(tail, 'base64url').length))}`,
    'a signature that is cut': ({ parts: { head, body, tail } }) =>
      `${head}.${body}.${tail.slice(0, 20)}`,
  }),
  spoiled(
    'signature.none',
    'A token that says it needs no signature is refused',
    Object.fromEntries(
      ['none', 'None', 'NONE', 'nOnE', ''].map((alg) => [
        `alg ${JSON.stringify(alg)}`,
        unsignedAs(alg),
      ]),
    ),
    'smoke',
  ),
  spoiled(
    'signature.stranger',
    'A token of an unknown key is refused',
    {
      'a token of another key under the same kid': (
        { header, payload },
        { testKeys: { stranger }, key },
      ) => compact({ ...header, alg: stranger.alg, kid: key.kid }, payload, stranger),
      'a token of another key under its own kid': (
        { header, payload },
        { testKeys: { stranger } },
      ) => compact({ ...header, alg: stranger.alg, kid: stranger.kid }, payload, stranger),
      'a token of another key without a kid': ({ header, payload }, { testKeys: { stranger } }) =>
        compact({ ...header, alg: stranger.alg, kid: undefined }, payload, stranger),
    },
    'smoke',
  ),
  spoiled('signature.curve', 'A token of a key of another kind is refused', {
    'a token of another curve under the same kid': async ({ header, payload }, { key }) =>
      compact({ ...header, alg: 'ES384' }, payload, {
        kid: key.kid,
        alg: 'ES384',
        jwk: await newPrivateJwk('ES384'),
      }),
    'a token whose alg is another than its signature’s': ({ header, payload }, { key }) =>
      compact({ ...header, alg: key.alg === 'ES256' ? 'ES384' : 'ES256' }, payload, key),
    'a token with an alg that does not exist': ({ header, payload }, { key }) =>
      compact({ ...header, alg: 'XS256' }, payload, key),
  }),
  {
    id: 'tokens.signature.hmac',
    title: 'The public key is not taken for the secret of an HMAC',
    clause: valid,
    profile: 'smoke',
    hint: 'Take asymmetric algorithms alone: never let the token choose how it is verified.',
    run: async (world) =>
      judgeEach(
        Object.entries(secrets(world)),
        ([name]) => name,
        async ([name, secret]) => {
          const { probe, header, payload } = await goodToken(world)
          const text = unsigned({ ...header, alg: 'HS256' }, payload)
          await expectRejected(
            world,
            `a token with an HMAC of ${name}`,
            `${text}.${hmac(text, secret)}`,
            probe,
          )
        },
      ),
  },
  {
    id: 'tokens.signature.embedded',
    title: 'A key that a token brings along is not trusted',
    clause: published,
    profile: 'full',
    run: async (world) => {
      const { stranger, strangerUrl, strangerAsked } = world.testKeys
      const before = strangerAsked()
      const ways = {
        jwk: { jwk: publicJwk(stranger) },
        ...(strangerUrl && { jku: { jku: strangerUrl }, x5u: { x5u: strangerUrl } }),
      }
      const judged = await judgeEach(
        Object.entries(ways),
        ([name]) => name,
        async ([name, header]) => {
          const { probe, header: plain, payload } = await goodToken(world)
          for (const kid of [stranger.kid, world.key.kid]) {
            const token = compact(
              { ...plain, alg: stranger.alg, kid, ...header },
              payload,
              stranger,
            )
            await expectRejected(world, `a token with its own key in ${name}`, token, probe)
          }
        },
      )
      const fetched = strangerAsked() - before
      if (fetched === 0) return judged
      return fail(`the provider fetched the address that a token named, ${fetched} times`, {
        expected: 'no fetch: whoever can send a token could make the provider call any address',
      })
    },
  },
  spoiled('form.malformed', 'What is not a token is refused', {
    'a word': () => 'not-a-token',
    'three words': () => 'a.b.c',
    'two dots': () => '..',
    'five segments': ({ token, parts: { tail } }) => `${token}.${tail}.${tail}`,
    'a header that is no JSON': ({ parts: { body, tail } }) =>
      `${base64url('not json')}.${body}.${tail}`,
    'claims that are no object': ({ header }, { key }) => compact(header, [] as never, key),
    'a very long token': ({ parts: { head, tail } }) => `${head}.${'A'.repeat(6000)}.${tail}`,
  }),
  spoiled('form.crit', 'A token that asks for what the receiver does not know is refused', {
    'a token with an unknown crit': ({ header, payload }, { key }) =>
      compact({ ...header, crit: ['holdfast-check'], 'holdfast-check': true }, payload, key),
  }),
  {
    id: 'tokens.keys.second',
    title: 'Any key of the set may sign',
    clause: published,
    profile: 'full',
    run: async (world) => {
      const second = world.testKeys.keys.find(
        ({ alg, kid }) => alg === world.key.alg && kid !== world.key.kid,
      )
      if (!second) return skip('it takes --jwks-port, and a provider that takes ES256')
      await expectAccepted(world, 'a token of another key of the set', { key: second })
      return {}
    },
  },
]

function flipped(segment: string): string {
  const bytes = Buffer.from(segment, 'base64url')
  const middle = Math.floor(bytes.length / 2)
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  return bytes.toString('base64url')
}
