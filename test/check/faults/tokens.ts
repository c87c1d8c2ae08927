import { createHmac } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { createLocalJWKSet, createRemoteJWKSet, jwtVerify } from 'jose'
import { parseToken, TokenRejected } from '../../../src/auth/token.ts'
import type { AuthRequest, VerifyToken } from '../../../src/auth/verify-token.ts'
import type { Operation } from '../../../src/contract/index.ts'
import type { Body, Seam } from '../provider.ts'
import type { Fault } from './fault.ts'

/** How long a use of a token waits for another, in turns of the event loop. */
const turnsMax = 1000

/** A request that token verification rejected. */
interface Rejected {
  readonly reason: string
  readonly claims: Body
  readonly header: Body
  readonly token: string
  readonly resource: string
  readonly request: AuthRequest
}

/** Accepts some of the tokens that token verification rejects. */
function acceptIf(isAccepted: (rejected: Rejected) => boolean | Promise<boolean>): Seam {
  return {
    verifyToken:
      (verifyToken, base): VerifyToken =>
      async (request) => {
        const token = request.authorization[0]?.replace(/^Bearer /, '') ?? ''
        const acceptOrThrow = async (error: unknown) => {
          if (!(error instanceof TokenRejected)) throw error
          const rejected = {
            reason: error.message,
            claims: segment(token, 1),
            header: segment(token, 0),
            token,
            resource: base() + request.path,
            request,
          }
          if (!(await isAccepted(rejected))) throw error
        }
        try {
          const { recorded } = await verifyToken(request)
          const settled = recorded.catch(acceptOrThrow)
          settled.catch(() => {})
          return { recorded: settled }
        } catch (error) {
          await acceptOrThrow(error)
          return { recorded: Promise.resolve() }
        }
      },
  }
}

function segment(token: string, index: number): Body {
  try {
    return JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString())
  } catch {
    return {}
  }
}

/** Accepts tokens that token verification rejects for one reason. */
const ignoreReason = (reason: string, when: (rejected: Rejected) => boolean = () => true) =>
  acceptIf((rejected) => rejected.reason === reason && when(rejected))

const subdomain = 'bank'

/** Accepts another audience. */
const acceptAudience = (isAccepted: (aud: string, resource: string) => boolean) =>
  ignoreReason(
    'aud',
    ({ claims, resource }) => typeof claims.aud === 'string' && isAccepted(claims.aud, resource),
  )

function exempt(isExempt: (operation: Operation) => boolean): Seam {
  return {
    verifyToken: (verifyToken) => async (request) =>
      isExempt(request.operation) ? { recorded: Promise.resolve() } : verifyToken(request),
  }
}

export const tokenFaults: readonly Fault[] = [
  {
    name: 'tokens can be replayed',
    seam: ignoreReason('jti was used before'),
    detectedBy: [
      'tokens.jti.replayed',
      'tokens.jti.raced',
      'tokens.jti.repeated',
      'tokens.jti.elsewhere',
    ],
  },
  {
    name: 'a token id can be used once per resource',
    seam: ignoreReason('jti was used before', ({ request }) => request.operation.ref === 'B1'),
    detectedBy: ['tokens.jti.replayed', 'tokens.jti.elsewhere'],
  },
  {
    name: 'concurrent uses of a token are not detected',
    seam: {
      verifyToken: (verifyToken) => {
        const seen = new Set<string>()
        const uses = new Map<string, number>()
        return async (request) => {
          const { jti } = segment(request.authorization[0] ?? '', 1)
          const isFirst = !seen.has(jti)
          uses.set(jti, (uses.get(jti) ?? 0) + 1)
          // Another use arrives between the check and the write. This process sends concurrent uses at once: they arrive
          // within a few turns of its event loop.
          for (let turn = 0; turn < turnsMax && uses.get(jti) === 1; turn += 1) await setImmediate()
          const { recorded } = await verifyToken(request)
          seen.add(jti)
          if (!isFirst) return { recorded }
          return { recorded: recorded.catch(() => {}) }
        }
      },
    },
    detectedBy: ['tokens.jti.raced'],
  },
  {
    name: 'the whole token is stored instead of its id',
    seam: {
      verifyToken: (verifyToken) => {
        const seen = new Set<string>()
        return async (request) => {
          const token = request.authorization[0] ?? ''
          const { recorded } = await verifyToken(request)
          if (seen.has(token)) return { recorded }
          seen.add(token)
          return { recorded: recorded.catch(() => {}) }
        }
      },
    },
    detectedBy: ['tokens.jti.repeated', 'tokens.jti.elsewhere'],
  },
  {
    name: 'tokens without an id are accepted',
    seam: ignoreReason('jti'),
    detectedBy: ['tokens.jti.missing', 'tokens.jti.empty'],
  },
  {
    name: 'a forged token uses up the id of a valid token',
    strict: true,
    seam: {
      verifyToken: (verifyToken) => {
        const spent = new Set<string>()
        return async (request) => {
          const { jti } = segment(request.authorization[0] ?? '', 1)
          if (spent.has(jti)) throw new TokenRejected('jti was used before')
          try {
            return await verifyToken(request)
          } catch (error) {
            if (jti) spent.add(jti)
            throw error
          }
        }
      },
    },
    detectedBy: ['tokens.jti.forged'],
  },
  {
    name: 'exp is ignored',
    seam: ignoreReason('exp has passed'),
    detectedBy: ['tokens.exp.passed', 'tokens.exp.lately'],
  },
  {
    name: 'tokens are accepted for half an hour after exp',
    seam: ignoreReason('exp has passed', ({ claims }) => claims.exp > Date.now() / 1000 - 1800),
    detectedBy: ['tokens.exp.lately'],
  },
  {
    name: 'tokens without exp are accepted',
    seam: ignoreReason('exp', ({ claims }) => claims.exp === undefined),
    detectedBy: ['tokens.exp.missing'],
  },
  {
    name: 'a string as exp is ignored',
    seam: ignoreReason('exp', ({ claims }) => typeof claims.exp === 'string'),
    detectedBy: ['tokens.exp.text'],
  },
  { name: 'nbf is ignored', strict: true, seam: ignoreReason('nbf'), detectedBy: ['tokens.nbf'] },
  {
    name: 'iss is ignored',
    seam: ignoreReason('iss'),
    detectedBy: ['tokens.iss.other', 'tokens.iss.missing', 'tokens.iss.longer', 'tokens.iss.case'],
  },
  {
    name: 'iss is compared as a prefix',
    seam: ignoreReason('iss', ({ claims }) => claims.iss?.startsWith(subdomain)),
    detectedBy: ['tokens.iss.longer'],
  },
  {
    name: 'iss is compared case-insensitively',
    seam: ignoreReason('iss', ({ claims }) => claims.iss?.toLowerCase() === subdomain),
    detectedBy: ['tokens.iss.case'],
  },
  {
    name: 'sub is ignored',
    seam: ignoreReason('sub'),
    detectedBy: ['tokens.sub.other', 'tokens.sub.missing', 'tokens.sub.longer'],
  },
  {
    name: 'sub is compared as a prefix',
    seam: ignoreReason('sub', ({ claims }) => claims.sub?.startsWith(subdomain)),
    detectedBy: ['tokens.sub.longer'],
  },
  {
    name: 'a prefix of the resource is accepted as aud',
    seam: acceptAudience((aud, resource) => resource.startsWith(aud)),
    detectedBy: ['tokens.aud.prefix', 'tokens.aud.parent'],
  },
  {
    name: 'any aud that starts with the resource is accepted',
    seam: acceptAudience((aud, resource) => aud.startsWith(resource)),
    detectedBy: ['tokens.aud.longer', 'tokens.aud.slash', 'tokens.aud.query'],
  },
  {
    name: 'aud with a trailing slash is accepted',
    seam: acceptAudience((aud, resource) => aud === `${resource}/`),
    detectedBy: ['tokens.aud.slash'],
  },
  {
    name: 'aud with a query is accepted',
    seam: acceptAudience((aud, resource) => aud.split('?')[0] === resource),
    detectedBy: ['tokens.aud.query'],
  },
  {
    name: 'only the path of aud is compared',
    seam: acceptAudience((aud, resource) => aud.endsWith(new URL(resource).pathname)),
    detectedBy: ['tokens.aud.host', 'tokens.aud.path'],
  },
  {
    name: 'the customer in aud is ignored',
    seam: acceptAudience(
      (aud, resource) =>
        aud.replace(/customer\/[^/]+/, '') === resource.replace(/customer\/[^/]+/, ''),
    ),
    detectedBy: ['tokens.aud.other'],
  },
  {
    name: 'tokens without aud are accepted',
    seam: ignoreReason('aud', ({ claims }) => claims.aud === undefined),
    detectedBy: ['tokens.aud.missing'],
  },
  {
    name: 'aud is ignored if it is a list',
    seam: ignoreReason('aud', ({ claims }) => Array.isArray(claims.aud)),
    detectedBy: ['tokens.aud.list'],
  },
  {
    name: 'a list with the resource is accepted as aud',
    strict: true,
    seam: ignoreReason(
      'aud',
      ({ claims, resource }) => Array.isArray(claims.aud) && claims.aud.includes(resource),
    ),
    detectedBy: ['tokens.aud.among'],
  },
  {
    name: 'one operation ignores aud',
    seam: ignoreReason('aud', ({ request }) => request.operation.ref === 'E4'),
    detectedBy: ['tokens.aud.everywhere'],
  },
  {
    name: 'aud must include the query',
    seam: {
      verifyToken: (verifyToken) => verifyToken,
      app: (app) =>
        app.addHook('onRequest', async (request) => {
          if (request.url.includes('page-size=5')) throw Object.assign(new TokenRejected('aud'))
        }),
    },
    detectedBy: ['tokens.good.query'],
  },
  {
    name: 'the contact endpoint requires no token',
    seam: exempt(({ ref }) => ref === 'contact'),
    detectedBy: ['tokens.missing', 'tokens.aud.everywhere', 'tokens.jti.replayed'],
  },
  {
    name: 'a token in the query is accepted',
    seam: {
      verifyToken: (verifyToken) => verifyToken,
      app: (app) =>
        app.addHook('onRequest', async (request) => {
          const { access_token: token } = request.query as { access_token?: string }
          if (token) request.raw.rawHeaders.push('authorization', `Bearer ${token}`)
        }),
    },
    detectedBy: ['tokens.scheme'],
  },
  {
    name: 'signatures are not verified',
    seam: ignoreReason('signature'),
    detectedBy: [
      'tokens.signature.altered',
      'tokens.signature.missing',
      'tokens.signature.stranger',
    ],
  },
  {
    name: 'the algorithm none is accepted',
    seam: ignoreReason('not base64url', ({ header }) => /^none$/i.test(header.alg)),
    detectedBy: ['tokens.signature.none'],
  },
  {
    name: 'an empty signature is accepted',
    seam: ignoreReason(
      'not base64url',
      ({ header, token }) => header.alg === 'ES256' && token.endsWith('.'),
    ),
    detectedBy: ['tokens.signature.missing'],
  },
  {
    name: 'an HMAC with an empty secret is accepted',
    seam: acceptIf(async ({ reason, token }) => {
      if (reason !== 'alg') return false
      const [head = '', body = '', tail = ''] = token.split('.')
      return publicSecrets.some(
        (secret) =>
          createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url') === tail,
      )
    }),
    detectedBy: ['tokens.signature.hmac'],
  },
  {
    name: 'a key in the header of a token is trusted',
    seam: acceptIf(
      async ({ header, token }) =>
        header.jwk !== undefined && isSigned(token, createLocalJWKSet({ keys: [header.jwk] })),
    ),
    detectedBy: ['tokens.signature.embedded'],
  },
  {
    name: 'keys are fetched from the URL in a token',
    seam: acceptIf(
      async ({ header, token }) =>
        header.jku !== undefined && isSigned(token, createRemoteJWKSet(new URL(header.jku))),
    ),
    detectedBy: ['tokens.signature.embedded'],
  },
  {
    name: 'an unknown alg is accepted',
    seam: ignoreReason('alg', ({ header }) => header.alg === 'XS256'),
    detectedBy: ['tokens.signature.curve'],
  },
  { name: 'crit is ignored', seam: ignoreReason('crit'), detectedBy: ['tokens.form.crit'] },
  {
    name: 'a malformed token causes a server error',
    seam: {
      verifyToken: (verifyToken) => async (request) => {
        const token = request.authorization[0]?.replace(/^Bearer /, '') ?? ''
        if (token.split('.').length === 5) throw new Error('too many segments')
        return verifyToken(request)
      },
    },
    detectedBy: ['tokens.form.malformed'],
  },
  {
    name: 'only one key of the set is accepted',
    seam: {
      verifyToken: (verifyToken) => async (request) => {
        if (
          segment(request.authorization[0]?.replace(/^Bearer /, '') ?? '', 0).kid?.endsWith(
            'second',
          )
        )
          throw new TokenRejected('unknown key')
        return verifyToken(request)
      },
    },
    detectedBy: ['tokens.keys.second'],
  },
  {
    name: 'no token is accepted',
    seam: {
      verifyToken:
        () =>
        async ({ authorization }) => {
          parseToken(authorization[0]?.replace(/^Bearer /, '') ?? '')
          throw new TokenRejected('unknown key')
        },
    },
    detectedBy: ['tokens.good'],
  },
]

/** Secrets that everyone knows. */
const publicSecrets = ['']

async function isSigned(token: string, keys: Parameters<typeof jwtVerify>[1]): Promise<boolean> {
  try {
    await jwtVerify(token, keys as never)
    return true
  } catch {
    return false
  }
}
