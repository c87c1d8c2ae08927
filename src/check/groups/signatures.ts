import type { CheckContext } from '../context.ts'
import { authentication, type Check } from '../definition.ts'
import {
  base64url,
  encodeUnsigned,
  generatePrivateJwk,
  signHmac,
  signToken,
  toPublicJwk,
  toPublicKey,
} from '../jws.ts'
import { checkEach, fail, skip } from '../outcome.ts'
import {
  expectAccepted,
  expectRejected,
  findSample,
  type SampleRequest,
} from '../sample-request.ts'

const signatureClause = authentication('2.1', 'the signature is valid')
const keySetClause = authentication(
  '2',
  'The receiver verifies the token using the JWKS URL of the provider instance',
)

interface ValidToken {
  readonly sample: SampleRequest
  readonly token: string
  /** Its three segments. */
  readonly head: string
  readonly body: string
  readonly tail: string
  readonly header: Record<string, unknown>
  readonly payload: Record<string, unknown>
}

/** A new valid token and its parts. It is not sent: the invalid tokens are derived from it. */
async function newValidToken(context: CheckContext): Promise<ValidToken> {
  const sample = await findSample(context)
  const token = context.token(context.resource(sample.operation, sample.input.params))
  const [head = '', body = '', tail = ''] = token.split('.')
  const [header, payload] = [decodeSegment(head), decodeSegment(body)]
  return { sample, token, head, body, tail, header, payload }
}

function decodeSegment(segment: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(segment, 'base64url').toString()) as Record<string, unknown>
}

/** A check that invalid variants of a valid token are rejected. */
function variantCheck(
  id: string,
  title: string,
  variants: Readonly<
    Record<string, (valid: ValidToken, context: CheckContext) => string | Promise<string>>
  >,
  profile?: Check['profile'],
): Check {
  return {
    id: `tokens.${id}`,
    title,
    clause: signatureClause,
    profile,
    run: (context) =>
      checkEach(Object.entries(variants), async ([name, toVariant]) => {
        const token = await newValidToken(context)
        await expectRejected(context, name, await toVariant(token, context), token.sample)
      }),
  }
}

/** The encodings of the public key that a vulnerable verifier may use as an HMAC secret. */
function secrets({ key }: CheckContext): Record<string, string | Uint8Array> {
  const publicKey = toPublicKey(key)
  const jwk = toPublicJwk(key)
  return {
    'its PEM': publicKey.export({ format: 'pem', type: 'spki' }) as string,
    'its DER': publicKey.export({ format: 'der', type: 'spki' }) as Buffer,
    'its JWK': JSON.stringify(publicKey.export({ format: 'jwk' })),
    'its JWK as published': JSON.stringify(jwk),
    'its x or n': String(jwk['x'] ?? jwk['n']),
    'an empty secret': '',
  }
}

function unsignedAs(alg: string): (valid: ValidToken) => string {
  return ({ header, payload }) => `${encodeUnsigned({ ...header, alg }, payload)}.`
}

export const signatures: readonly Check[] = [
  variantCheck(
    'signature.altered',
    'A modified token is rejected',
    {
      'a token with a modified signature': ({ head, body, tail }) =>
        `${head}.${body}.${flipBit(tail)}`,
      'a token with modified claims': ({ head, tail, payload }) =>
        `${head}.${base64url(JSON.stringify({ ...payload, exp: Number(payload['exp']) + 1 }))}.${tail}`,
      'a token with a modified header': ({ body, tail, header }) =>
        `${base64url(JSON.stringify({ ...header, typ: 'jwt' }))}.${body}.${tail}`,
    },
    'smoke',
  ),
  variantCheck('signature.missing', 'A token without a signature is rejected', {
    'a token with an empty signature': ({ head, body }) => `${head}.${body}.`,
    'a token of two segments': ({ head, body }) => `${head}.${body}`,
    'a signature of zeros': ({ head, body, tail }) =>
      `${head}.${body}.${base64url(Buffer.alloc(Buffer.from(tail, 'base64url').length))}`,
    'a truncated signature': ({ head, body, tail }) => `${head}.${body}.${tail.slice(0, 20)}`,
  }),
  variantCheck(
    'signature.none',
    'A token with the algorithm none is rejected',
    Object.fromEntries(
      ['none', 'None', 'NONE', 'nOnE', ''].map((alg) => [
        `alg ${JSON.stringify(alg)}`,
        unsignedAs(alg),
      ]),
    ),
    'smoke',
  ),
  variantCheck(
    'signature.stranger',
    'A token signed with an unknown key is rejected',
    {
      'a token signed with another key, with the kid of a known key': (
        { header, payload },
        { testKeys: { untrusted }, key },
      ) => signToken({ ...header, alg: untrusted.alg, kid: key.kid }, payload, untrusted),
      'a token signed with another key, with its own kid': (
        { header, payload },
        { testKeys: { untrusted } },
      ) => signToken({ ...header, alg: untrusted.alg, kid: untrusted.kid }, payload, untrusted),
      'a token signed with another key, without a kid': (
        { header, payload },
        { testKeys: { untrusted } },
      ) => signToken({ ...header, alg: untrusted.alg, kid: undefined }, payload, untrusted),
    },
    'smoke',
  ),
  variantCheck('signature.curve', 'A token with another algorithm than the key’s is rejected', {
    'a token signed with a key on another curve, with the kid of a known key': async (
      { header, payload },
      { key },
    ) =>
      signToken({ ...header, alg: 'ES384' }, payload, {
        kid: key.kid,
        alg: 'ES384',
        jwk: await generatePrivateJwk('ES384'),
      }),
    'a token whose alg differs from that of its signature': ({ header, payload }, { key }) =>
      signToken({ ...header, alg: key.alg === 'ES256' ? 'ES384' : 'ES256' }, payload, key),
    'a token with an unknown alg': ({ header, payload }, { key }) =>
      signToken({ ...header, alg: 'XS256' }, payload, key),
  }),
  {
    id: 'tokens.signature.hmac',
    title: 'A token with an HMAC of the public key is rejected',
    clause: signatureClause,
    profile: 'smoke',
    hint: 'Accept asymmetric algorithms only: the token must not choose how it is verified.',
    run: async (context) =>
      checkEach(Object.entries(secrets(context)), async ([name, secret]) => {
        const { sample, header, payload } = await newValidToken(context)
        const text = encodeUnsigned({ ...header, alg: 'HS256' }, payload)
        const subject = `a token with an HMAC, with ${name} as the secret`
        await expectRejected(context, subject, `${text}.${signHmac(text, secret)}`, sample)
      }),
  },
  {
    id: 'tokens.signature.embedded',
    title: 'A key in the header of a token is not trusted',
    clause: keySetClause,
    run: async (context) => {
      const { untrusted, untrustedUrl, untrustedFetches } = context.testKeys
      const before = untrustedFetches()
      const headers = {
        jwk: { jwk: toPublicJwk(untrusted) },
        ...(untrustedUrl && { jku: { jku: untrustedUrl }, x5u: { x5u: untrustedUrl } }),
      }
      const passed = await checkEach(Object.entries(headers), async ([name, header]) => {
        const { sample, header: plain, payload } = await newValidToken(context)
        for (const kid of [untrusted.kid, context.key.kid]) {
          const token = signToken(
            { ...plain, alg: untrusted.alg, kid, ...header },
            payload,
            untrusted,
          )
          await expectRejected(context, `a token with its key in ${name}`, token, sample)
        }
      })
      const fetched = untrustedFetches() - before
      if (fetched === 0) return passed
      return fail(`the provider fetched the URL in the header of a token ${fetched} times`, {
        expected: 'no fetch: otherwise any client could make the provider send requests to any URL',
      })
    },
  },
  variantCheck('form.malformed', 'A malformed token is rejected', {
    'a word': () => 'not-a-token',
    'three words': () => 'a.b.c',
    'two dots': () => '..',
    'five segments': ({ token, tail }) => `${token}.${tail}.${tail}`,
    'a header that is not JSON': ({ body, tail }) => `${base64url('not json')}.${body}.${tail}`,
    'claims that are not an object': ({ header }, { key }) => signToken(header, [] as never, key),
    'a very long token': ({ head, tail }) => `${head}.${'A'.repeat(6000)}.${tail}`,
  }),
  variantCheck('form.crit', 'A token with an unknown critical header parameter is rejected', {
    'a token with an unknown crit': ({ header, payload }, { key }) =>
      signToken({ ...header, crit: ['holdfast-check'], 'holdfast-check': true }, payload, key),
  }),
  {
    id: 'tokens.keys.second',
    title: 'Tokens of every key of the set are accepted',
    clause: keySetClause,
    run: async (context) => {
      const second = context.testKeys.keys.find(
        ({ alg, kid }) => alg === context.key.alg && kid !== context.key.kid,
      )
      if (!second) return skip('--jwks-port is needed, and a provider that accepts ES256')
      await expectAccepted(context, 'a token signed with another key of the set', { key: second })
      return {}
    },
  },
]

function flipBit(segment: string): string {
  const bytes = Buffer.from(segment, 'base64url')
  const middle = Math.floor(bytes.length / 2)
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  return bytes.toString('base64url')
}
