import { type Ask, bearer } from '../context.ts'
import { authentication, type Check } from '../definition.ts'
import { fail, skip } from '../outcome.ts'
import {
  establishKey,
  expectAccepted,
  expectRejected,
  expectRejectedWith,
  probeOf,
  tryToken,
} from '../probe.ts'
import { badTokenCheck, claims, everywhere, seconds } from '../token-cases.ts'
import { errorOf, statusText, unknownId } from './errors.ts'

const carries = authentication(
  '1',
  'Data-provider calls (sections A and C) carry Authorization: Bearer <ACCESS_TOKEN>',
)
const audience = authentication(
  '2.4',
  'the aud claim equals the URI of the requested resource, excluding query parameters',
)
const expiry = authentication('2.2', 'the exp claim has not passed')
const subject = authentication(
  '2.3',
  'the sub claim and the iss claim both equal the data provider subdomain',
)

export const tokens: readonly Check[] = [
  {
    id: 'tokens.good',
    title: 'A good token is taken',
    clause: authentication(
      '2',
      'The receiver verifies the token using the JWKS URL of the provider instance',
    ),
    profile: 'smoke',
    // Nothing else can be judged without it, so it was found out before.
    run: async (world) => ({
      seen: `signed with ${await world.once('sign in', () => establishKey(world, 0))}`,
    }),
  },
  {
    id: 'tokens.good.query',
    title: 'A query is not part of what a token is for',
    clause: audience,
    profile: 'smoke',
    run: async (world) => {
      const { operation, ask } = await probeOf(world)
      await expectAccepted(
        world,
        'a good token beside a query',
        {},
        { operation, ask: { ...ask, query: { 'page-size': 5 } } },
      )
      return {}
    },
  },
  {
    id: 'tokens.missing',
    title: 'No operation answers without a token',
    clause: carries,
    profile: 'smoke',
    run: (world) =>
      everywhere(world, (probe) =>
        expectRejectedWith(world, 'a request without a token', {}, probe),
      ),
  },
  {
    id: 'tokens.first',
    title: 'Without a valid token, known and unknown customers get the same answer',
    clause: authentication(
      '2',
      'The receiver verifies the token using the JWKS URL of the provider instance',
    ),
    profile: 'full',
    hint: 'Verify the token before the customer is looked up: otherwise anybody can find out which customers exist.',
    run: (world) =>
      everywhere(world, async ({ operation, ask }) => {
        if (!ask.params) skip('it names no customer')
        const unknown = { ...ask, params: { ...ask.params, customerId: unknownId } }
        const forged = (params: Ask['params']) =>
          bearer(world.token(world.resource(operation, params), { key: world.testKeys.stranger }))
        for (const [what, headersFor] of [
          ['no token', () => ({})],
          ['a forged token', forged],
        ] as const) {
          const known = await world.send(operation, ask, headersFor(ask.params))
          const answer = await world.send(operation, unknown, headersFor(unknown.params))
          const isSame = known.status === answer.status && errorOf(known) === errorOf(answer)
          if (isSame) continue
          fail(
            `${operation.ref}: with ${what}, an unknown customer got ${statusText(answer)} and a known one ${statusText(known)}`,
            { expected: 'the same status and the same body', evidence: [known, answer] },
          )
        }
      }),
  },
  {
    id: 'tokens.scheme',
    title: 'A token is taken from the Authorization header as Bearer alone',
    clause: carries,
    profile: 'full',
    run: async (world) => {
      const probe = await probeOf(world)
      const good = () => world.token(world.resource(probe.operation, probe.ask.params))
      await expectRejectedWith(
        world,
        'Authorization: Bearer without a token',
        { authorization: 'Bearer' },
        probe,
      )
      await expectRejectedWith(
        world,
        'Authorization: Basic',
        { authorization: 'Basic YTpi' },
        probe,
      )
      await expectRejectedWith(
        world,
        'a good token in X-Access-Token',
        { 'x-access-token': good() },
        probe,
      )
      await expectRejectedWith(
        world,
        'a good token in a cookie',
        { cookie: `access_token=${good()}` },
        probe,
      )
      const inQuery = { ...probe, ask: { ...probe.ask, query: `access_token=${good()}` } }
      await expectRejectedWith(world, 'a good token in the query', {}, inQuery)
      return {}
    },
  },
  {
    id: 'tokens.status',
    title: 'The status of a refused token is seen',
    clause: {
      section: 'Errors',
      reference: '4',
      quote: 'HTTP status codes, both for success and for errors: not shown',
    },
    profile: 'full',
    run: async (world) => {
      const answer = await expectRejected(
        world,
        'an expired token',
        claims({ exp: seconds() - 3600 }),
      )
      const challenge = answer.headers['www-authenticate']
      return {
        choice: {
          seen: `${answer.status}${challenge === undefined ? '' : `, WWW-Authenticate: ${challenge}`}`,
          isOurs: answer.status === 401 && challenge?.startsWith('Bearer') === true,
          ours: '401 with WWW-Authenticate: Bearer',
          decision: '0001-http-statuses',
          evidence: [answer],
        },
      }
    },
  },

  badTokenCheck(
    'exp.passed',
    'A token that has expired is refused',
    expiry,
    'a token that expired an hour ago',
    () => claims({ iat: seconds() - 7200, exp: seconds() - 3600 }),
    'smoke',
  ),
  badTokenCheck(
    'exp.lately',
    'A token that expired some minutes ago is refused',
    expiry,
    'a token that expired ten minutes ago',
    () => claims({ iat: seconds() - 900, exp: seconds() - 600 }),
  ),
  badTokenCheck(
    'exp.missing',
    'A token that never expires is refused',
    expiry,
    'a token without exp',
    claims({ exp: undefined }),
  ),
  badTokenCheck(
    'exp.text',
    'A token whose exp is no time is refused',
    expiry,
    'a token whose exp is a text',
    claims({ exp: 'tomorrow' }),
  ),
  badTokenCheck(
    'iss.other',
    'A token of another issuer is refused',
    subject,
    'a token whose iss is another',
    claims({ iss: 'another-provider' }),
    'smoke',
  ),
  badTokenCheck(
    'iss.missing',
    'A token without an issuer is refused',
    subject,
    'a token without iss',
    claims({ iss: undefined }),
  ),
  badTokenCheck(
    'iss.longer',
    'An issuer that begins with the subdomain is another',
    subject,
    'a token whose iss is longer',
    (_, subdomain) => claims({ iss: `${subdomain}.example` }),
  ),
  badTokenCheck(
    'iss.case',
    'An issuer in another case is another',
    subject,
    'a token whose iss is in another case',
    (_, subdomain) =>
      claims({
        iss:
          subdomain === subdomain.toUpperCase() ? subdomain.toLowerCase() : subdomain.toUpperCase(),
      }),
  ),
  badTokenCheck(
    'sub.other',
    'A token with another subject is refused',
    subject,
    'a token whose sub is another',
    claims({ sub: 'another-provider' }),
    'smoke',
  ),
  badTokenCheck(
    'sub.missing',
    'A token without a subject is refused',
    subject,
    'a token without sub',
    claims({ sub: undefined }),
  ),
  badTokenCheck(
    'sub.longer',
    'A subject that begins with the subdomain is another',
    subject,
    'a token whose sub is longer',
    (_, subdomain) => claims({ sub: `${subdomain}.example` }),
  ),
  badTokenCheck(
    'aud.other',
    'A token for another resource is refused',
    audience,
    'a token for the resource of another customer',
    (resource) => claims({ aud: resource.replace(/\/customer\/[^/]+/, '/customer/another') }),
    'smoke',
  ),
  badTokenCheck(
    'aud.missing',
    'A token for no resource is refused',
    audience,
    'a token without aud',
    claims({ aud: undefined }),
  ),
  badTokenCheck(
    'aud.prefix',
    'A token for the beginning of a URI is refused',
    audience,
    'a token for the base address',
    (resource) => claims({ aud: new URL(resource).origin }),
  ),
  badTokenCheck(
    'aud.parent',
    'A token for the resource above is refused',
    audience,
    'a token for the resource above',
    (resource) => claims({ aud: resource.slice(0, resource.lastIndexOf('/')) }),
  ),
  badTokenCheck(
    'aud.longer',
    'A token for a resource below is refused',
    audience,
    'a token for a resource below',
    (resource) => claims({ aud: `${resource}/more` }),
  ),
  badTokenCheck(
    'aud.slash',
    'A trailing slash makes another URI',
    audience,
    'a token for the URI with a trailing slash',
    (resource) => claims({ aud: `${resource}/` }),
  ),
  badTokenCheck(
    'aud.host',
    'A token for another host is refused',
    audience,
    'a token for the same path on another host',
    (resource) => claims({ aud: `https://another.example${new URL(resource).pathname}` }),
  ),
  badTokenCheck(
    'aud.path',
    'A path alone is no URI',
    audience,
    'a token for the path without the address',
    (resource) => claims({ aud: new URL(resource).pathname }),
  ),
  badTokenCheck(
    'aud.query',
    'A token for the URI with a query is refused',
    audience,
    'a token whose aud has a query',
    (resource) => claims({ aud: `${resource}?page=1` }),
  ),
  badTokenCheck(
    'aud.list',
    'A list of other resources is refused',
    audience,
    'a token for a list of other resources',
    (resource) => claims({ aud: [`${resource}/a`, `${resource}/b`] }),
  ),
  {
    id: 'tokens.aud.among',
    title: 'Whether a list that has the resource among others is taken is seen',
    clause: audience,
    profile: 'full',
    run: async (world) => {
      const probe = await probeOf(world)
      const resource = world.resource(probe.operation, probe.ask.params)
      const token = world.token(resource, claims({ aud: [resource, `${resource}/more`] }))
      const answer = await tryToken(world, probe, bearer(token))
      if (answer.status === 0 || answer.status >= 500)
        fail(`a token for two resources got ${answer.status}`, { evidence: [answer] })
      return {
        choice: {
          seen: answer.isSuccess ? 'taken' : `refused with ${answer.status}`,
          isOurs: !answer.isSuccess,
          ours: 'refused: equal is not among',
          decision: '0027-audience',
          evidence: [answer],
        },
      }
    },
  },
  {
    id: 'tokens.aud.everywhere',
    title: 'Every operation refuses a token that is for another',
    clause: audience,
    profile: 'full',
    run: (world) =>
      everywhere(world, (probe) =>
        expectRejected(
          world,
          'a token for another resource',
          claims({ aud: `${world.options.providerUrl}/v1/another` }),
          probe,
        ),
      ),
  },
  {
    id: 'tokens.nbf',
    title: 'Whether a token that is not yet good is taken is seen',
    clause: authentication('1', 'The token is a self-signed JWT'),
    profile: 'full',
    run: async (world) => {
      const probe = await probeOf(world)
      const token = world.token(
        world.resource(probe.operation, probe.ask.params),
        claims({ nbf: seconds() + 3600 }),
      )
      const answer = await tryToken(world, probe, bearer(token))
      if (answer.status === 0 || answer.status >= 500)
        fail(`a token that is good in an hour got ${answer.status}`, { evidence: [answer] })
      return {
        choice: {
          seen: answer.isSuccess ? 'taken' : `refused with ${answer.status}`,
          isOurs: !answer.isSuccess,
          ours: 'refused, as RFC 7519 says',
          decision: '0026-token-times',
          evidence: [answer],
        },
      }
    },
  },
]
