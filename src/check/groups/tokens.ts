import { bearer, type CheckContext, type RequestInput, type TokenChanges } from '../context.ts'
import { authentication, type Check } from '../definition.ts'
import { type Choice, fail, type Passed, skip } from '../outcome.ts'
import { unknownId } from '../requests.ts'
import { formatStatus, readError } from '../responses.ts'
import {
  establishKey,
  expectAccepted,
  expectRejected,
  expectRejectedWith,
  findSample,
  tryToken,
} from '../sample-request.ts'
import {
  badTokenCheck,
  checkEveryOperation,
  claimClauses,
  claims,
  epochSeconds,
} from '../token-cases.ts'

const bearerClause = authentication(
  '1',
  'Data-provider calls (sections A and C) carry Authorization: Bearer <ACCESS_TOKEN>',
)
export const tokens: readonly Check[] = [
  {
    id: 'tokens.good',
    title: 'A valid token is accepted',
    clause: authentication(
      '2',
      'The receiver verifies the token using the JWKS URL of the provider instance',
    ),
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
      await expectAccepted(
        context,
        'a valid token in a request with a query',
        {},
        { operation, input: { ...input, query: { 'page-size': 5 } } },
      )
      return {}
    },
  },
  {
    id: 'tokens.missing',
    title: 'Every operation rejects a request without a token',
    clause: bearerClause,
    profile: 'smoke',
    run: (context) =>
      checkEveryOperation(context, (sample) =>
        expectRejectedWith(context, 'a request without a token', {}, sample),
      ),
  },
  {
    id: 'tokens.first',
    title: 'Without a valid token, known and unknown customers get the same response',
    clause: authentication(
      '2',
      'The receiver verifies the token using the JWKS URL of the provider instance',
    ),
    hint: 'Verify the token before looking up the customer: otherwise any client can find out which customers exist.',
    run: (context) =>
      checkEveryOperation(context, async ({ operation, input }) => {
        if (!input.params) skip('its path has no customer')
        const unknown = { ...input, params: { ...input.params, customerId: unknownId } }
        const forged = (params: RequestInput['params']) =>
          bearer(
            context.token(context.resource(operation, params), { key: context.testKeys.untrusted }),
          )
        for (const [credential, headersFor] of [
          ['no token', () => ({})],
          ['a forged token', forged],
        ] as const) {
          const known = await context.send(operation, input, headersFor(input.params))
          const response = await context.send(operation, unknown, headersFor(unknown.params))
          const isSame =
            known.status === response.status && readError(known) === readError(response)
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
    title: 'The status for an invalid token is reported',
    clause: {
      section: 'Errors',
      reference: '4',
      quote: 'HTTP status codes, both for success and for errors: not shown',
    },
    run: async (context) => {
      const response = await expectRejected(
        context,
        'an expired token',
        claims({ exp: epochSeconds() - 3600 }),
      )
      const challenge = response.headers['www-authenticate']
      return {
        choice: {
          seen: `${response.status}${challenge === undefined ? '' : `, WWW-Authenticate: ${challenge}`}`,
          isOurs: response.status === 401 && challenge?.startsWith('Bearer') === true,
          ours: '401 with WWW-Authenticate: Bearer',
          decision: '0001-http-statuses',
          evidence: [response],
        },
      }
    },
  },

  badTokenCheck(
    'exp.passed',
    'An expired token is rejected',
    'a token that expired an hour ago',
    () => claims({ iat: epochSeconds() - 7200, exp: epochSeconds() - 3600 }),
    'smoke',
  ),
  badTokenCheck(
    'exp.lately',
    'A token that expired minutes ago is rejected',
    'a token that expired ten minutes ago',
    () => claims({ iat: epochSeconds() - 900, exp: epochSeconds() - 600 }),
  ),
  badTokenCheck(
    'exp.missing',
    'A token without an expiry is rejected',
    'a token without exp',
    claims({ exp: undefined }),
  ),
  badTokenCheck(
    'exp.text',
    'A token whose exp is not a number is rejected',
    'a token whose exp is a string',
    claims({ exp: 'tomorrow' }),
  ),
  badTokenCheck(
    'iss.other',
    'A token of another issuer is rejected',
    'a token with another iss',
    claims({ iss: 'another-provider' }),
    'smoke',
  ),
  badTokenCheck(
    'iss.missing',
    'A token without an issuer is rejected',
    'a token without iss',
    claims({ iss: undefined }),
  ),
  badTokenCheck(
    'iss.longer',
    'A token whose issuer starts with the subdomain is rejected',
    'a token whose iss is longer than the subdomain',
    (_, subdomain) => claims({ iss: `${subdomain}.example` }),
  ),
  badTokenCheck(
    'iss.case',
    'A token whose issuer differs in case is rejected',
    'a token whose iss differs in case',
    (_, subdomain) =>
      claims({
        iss:
          subdomain === subdomain.toUpperCase() ? subdomain.toLowerCase() : subdomain.toUpperCase(),
      }),
  ),
  badTokenCheck(
    'sub.other',
    'A token with another subject is rejected',
    'a token with another sub',
    claims({ sub: 'another-provider' }),
    'smoke',
  ),
  badTokenCheck(
    'sub.missing',
    'A token without a subject is rejected',
    'a token without sub',
    claims({ sub: undefined }),
  ),
  badTokenCheck(
    'sub.longer',
    'A token whose subject starts with the subdomain is rejected',
    'a token whose sub is longer than the subdomain',
    (_, subdomain) => claims({ sub: `${subdomain}.example` }),
  ),
  badTokenCheck(
    'aud.other',
    'A token for another resource is rejected',
    'a token for the resource of another customer',
    (resource) => claims({ aud: resource.replace(/\/customer\/[^/]+/, '/customer/another') }),
    'smoke',
  ),
  badTokenCheck(
    'aud.missing',
    'A token without an audience is rejected',
    'a token without aud',
    claims({ aud: undefined }),
  ),
  badTokenCheck(
    'aud.prefix',
    'A token for a prefix of the URI is rejected',
    'a token for the base URL',
    (resource) => claims({ aud: new URL(resource).origin }),
  ),
  badTokenCheck(
    'aud.parent',
    'A token for the parent resource is rejected',
    'a token for the parent resource',
    (resource) => claims({ aud: resource.slice(0, resource.lastIndexOf('/')) }),
  ),
  badTokenCheck(
    'aud.longer',
    'A token for a child resource is rejected',
    'a token for a child resource',
    (resource) => claims({ aud: `${resource}/more` }),
  ),
  badTokenCheck(
    'aud.slash',
    'A token for the URI with a trailing slash is rejected',
    'a token for the URI with a trailing slash',
    (resource) => claims({ aud: `${resource}/` }),
  ),
  badTokenCheck(
    'aud.host',
    'A token for another host is rejected',
    'a token for the same path on another host',
    (resource) => claims({ aud: `https://another.example${new URL(resource).pathname}` }),
  ),
  badTokenCheck(
    'aud.path',
    'A token for the path only is rejected',
    'a token for the path without the host',
    (resource) => claims({ aud: new URL(resource).pathname }),
  ),
  badTokenCheck(
    'aud.query',
    'A token for the URI with a query is rejected',
    'a token whose aud has a query',
    (resource) => claims({ aud: `${resource}?page=1` }),
  ),
  badTokenCheck(
    'aud.list',
    'A token for a list of other resources is rejected',
    'a token for a list of other resources',
    (resource) => claims({ aud: [`${resource}/a`, `${resource}/b`] }),
  ),
  {
    id: 'tokens.aud.among',
    title: 'Whether a token for a list with the resource is accepted is reported',
    clause: claimClauses.aud,
    run: (context) =>
      reportAcceptance(
        context,
        'a token for two resources',
        (resource) => claims({ aud: [resource, `${resource}/more`] }),
        { ours: 'rejected: aud must equal the resource', decision: '0027-audience' },
      ),
  },
  {
    id: 'tokens.aud.everywhere',
    title: 'Every operation rejects a token for another resource',
    clause: claimClauses.aud,
    run: (context) =>
      checkEveryOperation(context, (sample) =>
        expectRejected(
          context,
          'a token for another resource',
          claims({ aud: `${context.options.providerUrl}/v1/another` }),
          sample,
        ),
      ),
  },
  {
    id: 'tokens.nbf',
    title: 'Whether a token is accepted before its nbf is reported',
    clause: authentication('1', 'The token is a self-signed JWT'),
    run: (context) =>
      reportAcceptance(
        context,
        'a token that becomes valid in an hour',
        () => claims({ nbf: epochSeconds() + 3600 }),
        { ours: 'rejected, as RFC 7519 requires', decision: '0026-token-times' },
      ),
  },
]

/** Reports whether a token is accepted of which the interface does not say so. */
async function reportAcceptance(
  context: CheckContext,
  subject: string,
  changes: (resource: string) => TokenChanges,
  choice: Pick<Choice, 'ours' | 'decision'>,
): Promise<Passed> {
  const sample = await findSample(context)
  const resource = context.resource(sample.operation, sample.input.params)
  const token = context.token(resource, changes(resource))
  const response = await tryToken(context, sample, bearer(token))
  const { status, isSuccess } = response
  const evidence = [response]
  if (status === 0 || status >= 500)
    fail(`${subject} returned ${status || 'no response'}`, { evidence })
  const seen = isSuccess ? 'accepted' : `rejected with ${status}`
  return { choice: { seen, isOurs: !isSuccess, evidence, ...choice } }
}
