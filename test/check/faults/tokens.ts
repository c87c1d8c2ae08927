import { createHmac } from 'node:crypto'
import { createLocalJWKSet, createRemoteJWKSet, jwtVerify } from 'jose'
import type { AuthRequest, Guard } from '../../../src/auth/guard.ts'
import { parseToken, TokenRejected } from '../../../src/auth/token.ts'
import type { Operation } from '../../../src/contract/index.ts'
import type { Body, Seam } from '../provider.ts'
import type { Fault } from './fault.ts'

/** What a careless guard sees of a request that the real one refused. */
interface Refused {
  readonly reason: string
  readonly claims: Body
  readonly header: Body
  readonly token: string
  readonly resource: string
  readonly asked: AuthRequest
}

/** Takes some tokens that the real guard refuses, by why it does and what they say. */
function forgiving(forgives: (refused: Refused) => boolean | Promise<boolean>): Seam {
  return {
    guard:
      (guard, base): Guard =>
      async (asked) => {
        const token = asked.authorization[0]?.replace(/^Bearer /, '') ?? ''
        const forgiven = async (error: unknown) => {
          if (!(error instanceof TokenRejected)) throw error
          const refused = {
            reason: error.message,
            claims: segment(token, 1),
            header: segment(token, 0),
            token,
            resource: base() + asked.path,
            asked,
          }
          if (!(await forgives(refused))) throw error
        }
        try {
          const { recorded } = await guard(asked)
          const settled = recorded.catch(forgiven)
          settled.catch(() => {})
          return { recorded: settled }
        } catch (error) {
          await forgiven(error)
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

/** Forgives one reason of the real guard, where the token is otherwise of a trusted key. */
const passes = (reason: string, when: (refused: Refused) => boolean = () => true) =>
  forgiving((refused) => refused.reason === reason && when(refused))

const subdomain = 'bank'

/** An audience that a careless guard takes for the resource. */
const audience = (takes: (aud: string, resource: string) => boolean) =>
  passes(
    'aud',
    ({ claims, resource }) => typeof claims.aud === 'string' && takes(claims.aud, resource),
  )

function exempt(isExempt: (operation: Operation) => boolean): Seam {
  return {
    guard: (guard) => async (asked) =>
      isExempt(asked.operation) ? { recorded: Promise.resolve() } : guard(asked),
  }
}

export const tokenFaults: readonly Fault[] = [
  {
    name: 'a token may be used again',
    seam: passes('jti was used before'),
    catches: [
      'tokens.jti.replayed',
      'tokens.jti.raced',
      'tokens.jti.repeated',
      'tokens.jti.elsewhere',
    ],
  },
  {
    name: 'an id may be used once a resource',
    seam: passes('jti was used before', ({ asked }) => asked.operation.ref === 'B1'),
    catches: ['tokens.jti.replayed', 'tokens.jti.elsewhere'],
  },
  {
    name: 'a use that comes with another is not seen',
    seam: {
      guard: (guard) => {
        const seen = new Set<string>()
        return async (asked) => {
          const { jti } = segment(asked.authorization[0] ?? '', 1)
          const isFirst = !seen.has(jti)
          // Long enough for the others to arrive between the look and the write.
          if (asked.operation.ref === 'C2') await new Promise((resolve) => setTimeout(resolve, 300))
          const { recorded } = await guard(asked)
          seen.add(jti)
          if (!isFirst) return { recorded }
          return { recorded: recorded.catch(() => {}) }
        }
      },
    },
    catches: ['tokens.jti.raced'],
  },
  {
    name: 'the whole token is remembered instead of its id',
    seam: {
      guard: (guard) => {
        const seen = new Set<string>()
        return async (asked) => {
          const token = asked.authorization[0] ?? ''
          const { recorded } = await guard(asked)
          if (seen.has(token)) return { recorded }
          seen.add(token)
          return { recorded: recorded.catch(() => {}) }
        }
      },
    },
    catches: ['tokens.jti.repeated', 'tokens.jti.elsewhere'],
  },
  {
    name: 'a token needs no id',
    seam: passes('jti'),
    catches: ['tokens.jti.missing', 'tokens.jti.empty'],
  },
  {
    name: 'a forgery spends the id of a good token',
    strict: true,
    seam: {
      guard: (guard) => {
        const spent = new Set<string>()
        return async (asked) => {
          const { jti } = segment(asked.authorization[0] ?? '', 1)
          if (spent.has(jti)) throw new TokenRejected('jti was used before')
          try {
            return await guard(asked)
          } catch (error) {
            if (jti) spent.add(jti)
            throw error
          }
        }
      },
    },
    catches: ['tokens.jti.forged'],
  },
  {
    name: 'exp is not looked at',
    seam: passes('exp has passed'),
    catches: ['tokens.exp.passed', 'tokens.exp.lately'],
  },
  {
    name: 'a token is good for half an hour more',
    seam: passes('exp has passed', ({ claims }) => claims.exp > Date.now() / 1000 - 1800),
    catches: ['tokens.exp.lately'],
  },
  {
    name: 'a token need not expire',
    seam: passes('exp', ({ claims }) => claims.exp === undefined),
    catches: ['tokens.exp.missing'],
  },
  {
    name: 'an exp that is a text counts as none',
    seam: passes('exp', ({ claims }) => typeof claims.exp === 'string'),
    catches: ['tokens.exp.text'],
  },
  { name: 'nbf is not looked at', strict: true, seam: passes('nbf'), catches: ['tokens.nbf'] },
  {
    name: 'iss is not looked at',
    seam: passes('iss'),
    catches: ['tokens.iss.other', 'tokens.iss.missing', 'tokens.iss.longer', 'tokens.iss.case'],
  },
  {
    name: 'iss may begin with the subdomain',
    seam: passes('iss', ({ claims }) => claims.iss?.startsWith(subdomain)),
    catches: ['tokens.iss.longer'],
  },
  {
    name: 'iss may be in another case',
    seam: passes('iss', ({ claims }) => claims.iss?.toLowerCase() === subdomain),
    catches: ['tokens.iss.case'],
  },
  {
    name: 'sub is not looked at',
    seam: passes('sub'),
    catches: ['tokens.sub.other', 'tokens.sub.missing', 'tokens.sub.longer'],
  },
  {
    name: 'sub may begin with the subdomain',
    seam: passes('sub', ({ claims }) => claims.sub?.startsWith(subdomain)),
    catches: ['tokens.sub.longer'],
  },
  {
    name: 'aud may be the beginning of the resource',
    seam: audience((aud, resource) => resource.startsWith(aud)),
    catches: ['tokens.aud.prefix', 'tokens.aud.parent'],
  },
  {
    name: 'aud may begin with the resource',
    seam: audience((aud, resource) => aud.startsWith(resource)),
    catches: ['tokens.aud.longer', 'tokens.aud.slash', 'tokens.aud.query'],
  },
  {
    name: 'aud may have a trailing slash',
    seam: audience((aud, resource) => aud === `${resource}/`),
    catches: ['tokens.aud.slash'],
  },
  {
    name: 'aud may have a query',
    seam: audience((aud, resource) => aud.split('?')[0] === resource),
    catches: ['tokens.aud.query'],
  },
  {
    name: 'aud counts by its path',
    seam: audience((aud, resource) => aud.endsWith(new URL(resource).pathname)),
    catches: ['tokens.aud.host', 'tokens.aud.path'],
  },
  {
    name: 'aud may be any customer’s',
    seam: audience(
      (aud, resource) =>
        aud.replace(/customer\/[^/]+/, '') === resource.replace(/customer\/[^/]+/, ''),
    ),
    catches: ['tokens.aud.other'],
  },
  {
    name: 'aud may be left out',
    seam: passes('aud', ({ claims }) => claims.aud === undefined),
    catches: ['tokens.aud.missing'],
  },
  {
    name: 'a list of audiences is not looked at',
    seam: passes('aud', ({ claims }) => Array.isArray(claims.aud)),
    catches: ['tokens.aud.list'],
  },
  {
    name: 'aud may be a list with the resource in it',
    strict: true,
    seam: passes(
      'aud',
      ({ claims, resource }) => Array.isArray(claims.aud) && claims.aud.includes(resource),
    ),
    catches: ['tokens.aud.among'],
  },
  {
    name: 'aud is not looked at on one operation',
    seam: passes('aud', ({ asked }) => asked.operation.ref === 'E4'),
    catches: ['tokens.aud.everywhere'],
  },
  {
    name: 'aud must have the query too',
    seam: {
      guard: (guard) => guard,
      app: (app) =>
        app.addHook('onRequest', async (request) => {
          if (request.url.includes('page-size=5')) throw Object.assign(new TokenRejected('aud'))
        }),
    },
    catches: ['tokens.good.query'],
  },
  {
    name: 'the contact endpoint has no guard',
    seam: exempt(({ ref }) => ref === 'contact'),
    catches: ['tokens.missing', 'tokens.aud.everywhere', 'tokens.jti.replayed'],
  },
  {
    name: 'a token may come in the query',
    seam: {
      guard: (guard) => guard,
      app: (app) =>
        app.addHook('onRequest', async (request) => {
          const { access_token: token } = request.query as { access_token?: string }
          if (token) request.raw.rawHeaders.push('authorization', `Bearer ${token}`)
        }),
    },
    catches: ['tokens.scheme'],
  },
  {
    name: 'signatures are not verified',
    seam: passes('signature'),
    catches: ['tokens.signature.altered', 'tokens.signature.missing', 'tokens.signature.stranger'],
  },
  {
    name: 'a token that says none is taken',
    seam: passes('not base64url', ({ header }) => /^none$/i.test(header.alg)),
    catches: ['tokens.signature.none'],
  },
  {
    name: 'an empty signature is taken',
    seam: passes(
      'not base64url',
      ({ header, token }) => header.alg === 'ES256' && token.endsWith('.'),
    ),
    catches: ['tokens.signature.missing'],
  },
  {
    name: 'the public key is the secret of an HMAC',
    seam: forgiving(async ({ reason, token }) => {
      if (reason !== 'alg') return false
      const [head = '', body = '', tail = ''] = token.split('.')
      return publicSecrets.some(
        (secret) =>
          createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url') === tail,
      )
    }),
    catches: ['tokens.signature.hmac'],
  },
  {
    name: 'a key in the header of a token is trusted',
    seam: forgiving(
      async ({ header, token }) =>
        header.jwk !== undefined && isSigned(token, createLocalJWKSet({ keys: [header.jwk] })),
    ),
    catches: ['tokens.signature.embedded'],
  },
  {
    name: 'keys are fetched from where a token says',
    seam: forgiving(
      async ({ header, token }) =>
        header.jku !== undefined && isSigned(token, createRemoteJWKSet(new URL(header.jku))),
    ),
    catches: ['tokens.signature.embedded'],
  },
  {
    name: 'an alg that nobody knows is taken',
    seam: passes('alg', ({ header }) => header.alg === 'XS256'),
    catches: ['tokens.signature.curve'],
  },
  { name: 'crit is not looked at', seam: passes('crit'), catches: ['tokens.form.crit'] },
  {
    name: 'what is no token breaks the server',
    seam: {
      guard: (guard) => async (asked) => {
        const token = asked.authorization[0]?.replace(/^Bearer /, '') ?? ''
        if (token.split('.').length === 5) throw new Error('too many segments')
        return guard(asked)
      },
    },
    catches: ['tokens.form.malformed'],
  },
  {
    name: 'one key of the set is taken, the others are not',
    seam: {
      guard: (guard) => async (asked) => {
        if (
          segment(asked.authorization[0]?.replace(/^Bearer /, '') ?? '', 0).kid?.endsWith('second')
        )
          throw new TokenRejected('unknown key')
        return guard(asked)
      },
    },
    catches: ['tokens.keys.second'],
  },
  {
    name: 'no token is taken',
    seam: {
      guard:
        () =>
        async ({ authorization }) => {
          parseToken(authorization[0]?.replace(/^Bearer /, '') ?? '')
          throw new TokenRejected('unknown key')
        },
    },
    catches: ['tokens.good'],
  },
]

/** An HMAC with an empty secret is an HMAC that anybody can make. */
const publicSecrets = ['']

async function isSigned(token: string, keys: Parameters<typeof jwtVerify>[1]): Promise<boolean> {
  try {
    await jwtVerify(token, keys as never)
    return true
  } catch {
    return false
  }
}
