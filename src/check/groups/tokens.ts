import { randomUUID } from 'node:crypto'
import type { Operation } from '../../contract/index.ts'
import { authentication, type Check } from '../definition.ts'
import { fail, judgeEach, type Passed, skip } from '../finding.ts'
import { accountsOf, customersOf } from '../people.ts'
import {
  expectRefused,
  expectTaken,
  type Probe,
  probeOf,
  refusedWith,
  signIn,
  tryToken,
} from '../probe.ts'
import { bearer, type TokenChanges, type World } from '../world.ts'
import { askFor } from './errors.ts'

const carries = authentication(
  '1',
  'Data-provider calls (sections A and C) carry Authorization: Bearer <ACCESS_TOKEN>',
)
const unique = authentication('2.5', 'the jti claim is unique (a repeated jti is not acceptable)')
const audience = authentication(
  '2.4',
  'the aud claim equals the URI of the requested resource, excluding query parameters',
)
const expiry = authentication('2.2', 'the exp claim has not passed')
const subject = authentication(
  '2.3',
  'the sub claim and the iss claim both equal the data provider subdomain',
)

/** Every operation, asked for something that is there. */
async function everyProbe(world: World): Promise<Probe[]> {
  const [email] = world.options.emails
  const probes: Probe[] = []
  for (const operation of world.operations) {
    const ask =
      operation.ref === 'C1'
        ? { body: { email: email ?? 'nobody@check.holdfast.invalid' } }
        : await knownAsk(world, operation)
    if (ask) probes.push({ operation, ask })
  }
  return probes
}

async function knownAsk(world: World, operation: Operation) {
  const wanted = operation.tag === 'energy' ? 'energy' : 'banking'
  for (const customerId of await customersOf(world)) {
    const accounts = await accountsOf(world, customerId)
    const account =
      accounts.find(({ kind }) => kind === wanted) ??
      (operation.tag === 'contact' ? accounts[0] : undefined)
    if (
      account ||
      !/accountId|\{id\}/.test(operation.path + JSON.stringify(operation.body ?? ''))
    ) {
      return askFor(operation, customerId, account?.id ?? '')
    }
  }
  return undefined
}

async function everywhere(
  world: World,
  judge: (probe: Probe) => Promise<unknown>,
): Promise<Passed> {
  return judgeEach(await everyProbe(world), ({ operation: { ref } }) => ref, judge)
}

/** One kind of bad token, tried on one operation. */
function bad(
  id: string,
  title: string,
  clause: Check['clause'],
  what: string,
  changes: TokenChanges | ((resource: string, subdomain: string) => TokenChanges),
  profile: Check['profile'] = 'full',
): Check {
  return {
    id: `tokens.${id}`,
    title,
    clause,
    profile,
    run: async (world) => {
      const probe = await probeOf(world)
      const resource = world.resource(probe.operation, probe.ask.params)
      const made =
        typeof changes === 'function' ? changes(resource, world.options.subdomain) : changes
      const { status } = await expectRefused(world, what, made, probe)
      return { seen: `refused with ${status}` }
    },
  }
}

const seconds = () => Math.floor(Date.now() / 1000)
const claims = (members: TokenChanges['claims'] & object): TokenChanges => ({ claims: members })
const racers = 8

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
      seen: `signed with ${await world.once('sign in', () => signIn(world, 0))}`,
    }),
  },
  {
    id: 'tokens.good.query',
    title: 'A query is not part of what a token is for',
    clause: audience,
    profile: 'smoke',
    run: async (world) => {
      const { operation, ask } = await probeOf(world)
      await expectTaken(
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
      everywhere(world, (probe) => refusedWith(world, 'a request without a token', {}, probe)),
  },
  {
    id: 'tokens.scheme',
    title: 'A token is taken from the Authorization header as Bearer alone',
    clause: carries,
    profile: 'full',
    run: async (world) => {
      const probe = await probeOf(world)
      const good = () => world.token(world.resource(probe.operation, probe.ask.params))
      await refusedWith(
        world,
        'Authorization: Bearer without a token',
        { authorization: 'Bearer' },
        probe,
      )
      await refusedWith(
        world,
        'Authorization: Basic',
        { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` },
        probe,
      )
      await refusedWith(
        world,
        'a good token in X-Access-Token',
        { 'x-access-token': good() },
        probe,
      )
      await refusedWith(
        world,
        'a good token in a cookie',
        { cookie: `access_token=${good()}` },
        probe,
      )
      const inQuery = { ...probe, ask: { ...probe.ask, query: `access_token=${good()}` } }
      await refusedWith(world, 'a good token in the query', {}, inQuery)
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
      const answer = await expectRefused(
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

  bad(
    'exp.passed',
    'A token that has expired is refused',
    expiry,
    'a token that expired an hour ago',
    () => claims({ iat: seconds() - 7200, exp: seconds() - 3600 }),
    'smoke',
  ),
  bad(
    'exp.lately',
    'A token that expired some minutes ago is refused',
    expiry,
    'a token that expired ten minutes ago',
    () => claims({ iat: seconds() - 900, exp: seconds() - 600 }),
  ),
  bad(
    'exp.missing',
    'A token that never expires is refused',
    expiry,
    'a token without exp',
    claims({ exp: undefined }),
  ),
  bad(
    'exp.text',
    'A token whose exp is no time is refused',
    expiry,
    'a token whose exp is a text',
    claims({ exp: 'tomorrow' }),
  ),
  bad(
    'iss.other',
    'A token of another issuer is refused',
    subject,
    'a token whose iss is another',
    claims({ iss: 'another-provider' }),
    'smoke',
  ),
  bad(
    'iss.missing',
    'A token without an issuer is refused',
    subject,
    'a token without iss',
    claims({ iss: undefined }),
  ),
  bad(
    'iss.longer',
    'An issuer that begins with the subdomain is another',
    subject,
    'a token whose iss is longer',
    (_, subdomain) => claims({ iss: `${subdomain}.example` }),
  ),
  bad(
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
  bad(
    'sub.other',
    'A token with another subject is refused',
    subject,
    'a token whose sub is another',
    claims({ sub: 'another-provider' }),
    'smoke',
  ),
  bad(
    'sub.missing',
    'A token without a subject is refused',
    subject,
    'a token without sub',
    claims({ sub: undefined }),
  ),
  bad(
    'sub.longer',
    'A subject that begins with the subdomain is another',
    subject,
    'a token whose sub is longer',
    (_, subdomain) => claims({ sub: `${subdomain}.example` }),
  ),
  bad(
    'aud.other',
    'A token for another resource is refused',
    audience,
    'a token for the resource of another customer',
    (resource) => claims({ aud: resource.replace(/\/customer\/[^/]+/, '/customer/another') }),
    'smoke',
  ),
  bad(
    'aud.missing',
    'A token for no resource is refused',
    audience,
    'a token without aud',
    claims({ aud: undefined }),
  ),
  bad(
    'aud.prefix',
    'A token for the beginning of a URI is refused',
    audience,
    'a token for the base address',
    (resource) => claims({ aud: new URL(resource).origin }),
  ),
  bad(
    'aud.parent',
    'A token for the resource above is refused',
    audience,
    'a token for the resource above',
    (resource) => claims({ aud: resource.slice(0, resource.lastIndexOf('/')) }),
  ),
  bad(
    'aud.longer',
    'A token for a resource below is refused',
    audience,
    'a token for a resource below',
    (resource) => claims({ aud: `${resource}/more` }),
  ),
  bad(
    'aud.slash',
    'A trailing slash makes another URI',
    audience,
    'a token for the URI with a trailing slash',
    (resource) => claims({ aud: `${resource}/` }),
  ),
  bad(
    'aud.host',
    'A token for another host is refused',
    audience,
    'a token for the same path on another host',
    (resource) => claims({ aud: `https://another.example${new URL(resource).pathname}` }),
  ),
  bad(
    'aud.path',
    'A path alone is no URI',
    audience,
    'a token for the path without the address',
    (resource) => claims({ aud: new URL(resource).pathname }),
  ),
  bad(
    'aud.query',
    'A token for the URI with a query is refused',
    audience,
    'a token whose aud has a query',
    (resource) => claims({ aud: `${resource}?page=1` }),
  ),
  bad(
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
        expectRefused(
          world,
          'a token for another resource',
          claims({ aud: `${world.options.providerUrl}/v1/another` }),
          probe,
        ),
      ),
  },
  bad(
    'jti.missing',
    'A token without an id is refused',
    unique,
    'a token without jti',
    claims({ jti: undefined }),
  ),
  bad(
    'jti.empty',
    'A token with an empty id is refused',
    unique,
    'a token with an empty jti',
    claims({ jti: '' }),
  ),
  {
    id: 'tokens.jti.replayed',
    title: 'A token is good for one use',
    clause: unique,
    profile: 'smoke',
    hint: 'Remember every jti until its token has expired, in one place for all processes.',
    run: (world) =>
      everywhere(world, async (probe) => {
        const headers = bearer(world.token(world.resource(probe.operation, probe.ask.params)))
        const first = await world.send(probe.operation, probe.ask, headers)
        if (
          first.status === 401 ||
          first.status === 403 ||
          first.status === 0 ||
          first.status >= 500
        ) {
          skip(`the first use got ${first.status || 'no answer'}`)
        }
        await refusedWith(world, 'a token that was used before', headers, probe)
      }),
  },
  {
    id: 'tokens.jti.raced',
    title: 'Of uses at the same time, one is good',
    clause: unique,
    profile: 'full',
    hint: 'Look and remember in one step: a look first and a write later let two pass.',
    run: async (world) => {
      const { operation, ask } = await probeOf(world)
      const headers = bearer(world.token(world.resource(operation, ask.params)))
      const answers = await Promise.all(
        Array.from({ length: racers }, () => world.send(operation, ask, headers, true)),
      )
      const taken = answers.filter(({ isSuccess }) => isSuccess)
      if (taken.length === 1) return { seen: `1 of ${racers} was taken` }
      if (taken.length === 0) skip('none of them was taken')
      return fail(
        `${operation.ref}: ${taken.length} of ${racers} uses of one token at the same time were taken`,
        {
          expected: 'one',
          evidence: taken.slice(0, 2),
        },
      )
    },
  },
  {
    id: 'tokens.jti.repeated',
    title: 'Another token with the same id is refused',
    clause: unique,
    profile: 'full',
    run: async (world) => {
      const jti = randomUUID()
      await expectTaken(world, 'a good token', claims({ jti }))
      await expectRefused(
        world,
        'another token with the same jti',
        claims({ jti, exp: seconds() + 200 }),
      )
      return {}
    },
  },
  {
    id: 'tokens.jti.elsewhere',
    title: 'An id that was used for one resource is used for all',
    clause: unique,
    profile: 'full',
    run: async (world) => {
      const first = await probeOf(world)
      const other = (await everyProbe(world)).find(({ operation }) => operation !== first.operation)
      if (!other) return skip('the provider has one operation')
      const jti = randomUUID()
      await expectTaken(world, 'a good token', claims({ jti }), first)
      await expectRefused(
        world,
        'a token for another resource with the same jti',
        claims({ jti }),
        other,
      )
      return {}
    },
  },
  {
    id: 'tokens.jti.forged',
    title: 'Whether a forgery spends the id of a good token is seen',
    clause: unique,
    profile: 'full',
    run: async (world) => {
      const jti = randomUUID()
      await expectRefused(world, 'a token of an unknown key', {
        claims: { jti },
        key: { ...world.keyring.stranger, kid: world.key.kid },
      })
      const probe = await probeOf(world)
      const answer = await tryToken(
        world,
        probe,
        bearer(world.token(world.resource(probe.operation, probe.ask.params), claims({ jti }))),
      )
      return {
        choice: {
          seen: answer.isSuccess ? 'it does not' : `it does: ${answer.status}`,
          isOurs: answer.isSuccess,
          ours: 'an id is spent when the other checks pass',
          decision: '0028-single-use',
          evidence: [answer],
        },
      }
    },
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
