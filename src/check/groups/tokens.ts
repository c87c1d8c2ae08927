import type { CheckContext, RequestInput } from '../context.ts'
import { authentication, type Check } from '../definition.ts'
import { fail, skip } from '../outcome.ts'
import { unknownId } from '../requests.ts'
import { formatStatus, isRejection, readError } from '../responses.ts'
import {
  establishKey,
  expectAccepted,
  expectRejected,
  expectRejectedWith,
  findSample,
  tryToken,
} from '../sample-request.ts'
import type { Members } from '../signing-key.ts'
import { badTokenCheck, claimClauses, epochSeconds, forEveryOperation } from '../token-cases.ts'

const bearerClause = authentication(
  '1',
  'Data-provider calls (sections A and C) carry Authorization: Bearer <ACCESS_TOKEN>',
)
const keySetClause = authentication(
  '2',
  'The receiver verifies the token using the JWKS URL of the provider instance',
)

export const tokens: readonly Check[] = [
  {
    id: 'tokens.good',
    title: 'A valid token is accepted',
    clause: keySetClause,
    profile: 'smoke',
    // Established before the first check: no other check can run without it.
    run: async (context) => ({
      seen: `signed with ${await context.once('key', () => establishKey(context, 0))}`,
    }),
  },
  {
    id: 'tokens.good.query',
    title: 'A query is not part of the audience of a token',
    clause: claimClauses.aud,
    profile: 'smoke',
    run: async (context) => {
      const { operation, input } = await findSample(context)
      const withQuery = { operation, input: { ...input, query: { 'page-size': 5 } } }
      await expectAccepted(context, 'a valid token in a request with a query', {}, withQuery)
      return {}
    },
  },
  {
    id: 'tokens.missing',
    title: 'Every operation rejects a request without a token',
    clause: bearerClause,
    profile: 'smoke',
    run: forEveryOperation((context, sample) =>
      expectRejectedWith(context, 'a request without a token', {}, sample),
    ),
  },
  {
    id: 'tokens.first',
    title: 'Without a valid token, known and unknown customers get the same response',
    clause: keySetClause,
    hint: 'Verify the token before looking up the customer: otherwise any client can find out which customers exist.',
    run: forEveryOperation(async (context, { operation, input }) => {
      if (!input.params) skip('its path has no customer')
      const unknown = { ...input, params: { ...input.params, customerId: unknownId } }
      const forge = ({ params }: RequestInput) =>
        context.authorize(operation, params, { key: context.testKeys.untrusted })
      for (const [credential, headersFor] of [
        ['no token', () => ({})],
        ['a forged token', forge],
      ] as const) {
        const known = await context.send(operation, input, headersFor(input))
        const response = await context.send(operation, unknown, headersFor(unknown))
        const isSame = known.status === response.status && readError(known) === readError(response)
        if (isSame) continue
        fail(
          `${operation.ref}: with ${credential}, a request for an unknown customer returned ${formatStatus(response)} and one for a known customer ${formatStatus(known)}`,
          { expected: 'the same status and the same body', evidence: [known, response] },
        )
      }
    }),
  },
  {
    id: 'tokens.scheme',
    title: 'A token is accepted only as Bearer in the Authorization header',
    clause: bearerClause,
    run: async (context) => {
      const sample = await findSample(context)
      const newToken = () => context.token(context.resource(sample.operation, sample.input.params))
      const headers = {
        'Authorization: Bearer without a token': { authorization: 'Bearer' },
        'Authorization: Basic': { authorization: 'Basic YTpi' },
        'a valid token in X-Access-Token': { 'x-access-token': newToken() },
        'a valid token in a cookie': { cookie: `access_token=${newToken()}` },
      }
      for (const [place, given] of Object.entries(headers)) {
        await expectRejectedWith(context, place, given, sample)
      }
      const inQuery = { ...sample, input: { ...sample.input, query: `access_token=${newToken()}` } }
      await expectRejectedWith(context, 'a valid token in the query', {}, inQuery)
      return {}
    },
  },
  {
    id: 'tokens.status',
    title: 'The status for an invalid token is reported: 401 is preferred, 403 is accepted',
    clause: {
      section: 'Errors',
      reference: '4',
      quote: 'HTTP status codes, both for success and for errors: not shown',
    },
    choice: {
      ofHoldfast: '401 with WWW-Authenticate: Bearer; 403 is accepted too',
      decision: '0001-http-statuses',
    },
    run: async (context) => {
      const expired = { claims: { exp: epochSeconds() - 3600 } }
      const response = await expectRejected(context, 'an expired token', expired)
      const { status } = response
      const challenge = response.headers['www-authenticate']
      const isPreferred = status === 401 && challenge?.startsWith('Bearer') === true
      return {
        seen: `${status}${challenge === undefined ? '' : `, WWW-Authenticate: ${challenge}`}`,
        ...(status === 403 && {
          remark:
            '403 is accepted. 401 with WWW-Authenticate: Bearer is better: it lets a client distinguish an invalid token from data that it may not read.',
        }),
        isHoldfastChoice: isPreferred || status === 403,
        evidence: [response],
      }
    },
  },

  badTokenCheck(
    'exp.passed',
    'An expired token is rejected',
    () => ({ iat: epochSeconds() - 7200, exp: epochSeconds() - 3600 }),
    'smoke',
  ),
  badTokenCheck('exp.lately', 'A token that expired minutes ago is rejected', () => ({
    iat: epochSeconds() - 900,
    exp: epochSeconds() - 600,
  })),
  badTokenCheck('exp.missing', 'A token without an expiry is rejected', { exp: undefined }),
  badTokenCheck('exp.text', 'A token whose exp is not a number is rejected', { exp: 'tomorrow' }),
  badTokenCheck(
    'iss.other',
    'A token of another issuer is rejected',
    { iss: 'another-provider' },
    'smoke',
  ),
  badTokenCheck('iss.missing', 'A token without an issuer is rejected', { iss: undefined }),
  badTokenCheck(
    'iss.longer',
    'A token whose issuer starts with the subdomain is rejected',
    (_, subdomain) => ({ iss: `${subdomain}.example` }),
  ),
  badTokenCheck('iss.case', 'A token whose issuer differs in case is rejected', (_, subdomain) => ({
    iss: subdomain === subdomain.toUpperCase() ? subdomain.toLowerCase() : subdomain.toUpperCase(),
  })),
  badTokenCheck(
    'sub.other',
    'A token with another subject is rejected',
    { sub: 'another-provider' },
    'smoke',
  ),
  badTokenCheck('sub.missing', 'A token without a subject is rejected', { sub: undefined }),
  badTokenCheck(
    'sub.longer',
    'A token whose subject starts with the subdomain is rejected',
    (_, subdomain) => ({ sub: `${subdomain}.example` }),
  ),
  badTokenCheck(
    'aud.other',
    'A token for another resource is rejected',
    (resource) => ({ aud: resource.replace(/\/customer\/[^/]+/, '/customer/another') }),
    'smoke',
  ),
  badTokenCheck('aud.missing', 'A token without an audience is rejected', { aud: undefined }),
  badTokenCheck('aud.prefix', 'A token for a prefix of the URI is rejected', (resource) => ({
    aud: new URL(resource).origin,
  })),
  badTokenCheck('aud.parent', 'A token for the parent resource is rejected', (resource) => ({
    aud: resource.slice(0, resource.lastIndexOf('/')),
  })),
  badTokenCheck('aud.longer', 'A token for a child resource is rejected', (resource) => ({
    aud: `${resource}/more`,
  })),
  badTokenCheck(
    'aud.slash',
    'A token for the URI with a trailing slash is rejected',
    (resource) => ({ aud: `${resource}/` }),
  ),
  badTokenCheck('aud.host', 'A token for another host is rejected', (resource) => ({
    aud: `https://another.example${new URL(resource).pathname}`,
  })),
  badTokenCheck('aud.path', 'A token for the path only is rejected', (resource) => ({
    aud: new URL(resource).pathname,
  })),
  badTokenCheck('aud.query', 'A token for the URI with a query is rejected', (resource) => ({
    aud: `${resource}?page=1`,
  })),
  badTokenCheck('aud.list', 'A token for a list of other resources is rejected', (resource) => ({
    aud: [`${resource}/a`, `${resource}/b`],
  })),
  {
    id: 'tokens.aud.among',
    title: 'Whether a token for a list with the resource is accepted is reported',
    clause: claimClauses.aud,
    choice: { ofHoldfast: 'rejected: aud must equal the resource', decision: '0027-audience' },
    run: (context) =>
      reportAcceptance(context, 'a token for two resources', (resource) => ({
        aud: [resource, `${resource}/more`],
      })),
  },
  {
    id: 'tokens.aud.everywhere',
    title: 'Every operation rejects a token for another resource',
    clause: claimClauses.aud,
    run: forEveryOperation((context, sample) => {
      const claims = { aud: `${context.options.providerUrl}/v1/another` }
      return expectRejected(context, 'a token for another resource', { claims }, sample)
    }),
  },
  {
    id: 'tokens.nbf',
    title: 'Whether a token is accepted before its nbf is reported',
    clause: authentication('1', 'The token is a self-signed JWT'),
    choice: { ofHoldfast: 'rejected, as RFC 7519 requires', decision: '0026-token-times' },
    run: (context) =>
      reportAcceptance(context, 'a token that becomes valid in an hour', () => ({
        nbf: epochSeconds() + 3600,
      })),
  },
]

/** Reports whether a token is accepted of which the interface does not say so. */
async function reportAcceptance(
  context: CheckContext,
  subject: string,
  claims: (resource: string) => Members,
) {
  const sample = await findSample(context)
  const { operation, input } = sample
  const changes = { claims: claims(context.resource(operation, input.params)) }
  const response = await tryToken(
    context,
    sample,
    context.authorize(operation, input.params, changes),
  )
  const { status, isSuccess } = response
  const evidence = [response]
  if (!isSuccess && !isRejection(response)) {
    fail(`${subject} returned ${formatStatus(response)}`, { evidence })
  }
  const seen = isSuccess ? 'accepted' : `rejected with ${status}`
  return { seen, isHoldfastChoice: !isSuccess, evidence }
}
