import { randomUUID } from 'node:crypto'
import { bearer, type CheckContext } from '../context.ts'
import { authentication, type Check } from '../definition.ts'
import { pause } from '../http-client.ts'
import { fail, skip } from '../outcome.ts'
import { expectAccepted, expectRejected, expectRejectedWith, probeOf, tryToken } from '../probe.ts'
import { badTokenCheck, claims, everyProbe, everywhere, seconds } from '../token-cases.ts'

const unique = authentication('2.5', 'the jti claim is unique (a repeated jti is not acceptable)')
const racers = 8

/** One use of a token at the start of the run. */
function earlyUse(world: CheckContext) {
  return world.once('early use of a token', async () => {
    const probe = await probeOf(world)
    const headers = bearer(world.token(world.resource(probe.operation, probe.ask.params)))
    const { status } = await world.send(probe.operation, probe.ask, headers)
    return { probe, headers, status, usedAt: performance.now() }
  })
}

export const singleUse: readonly Check[] = [
  badTokenCheck(
    'jti.missing',
    'A token without an id is refused',
    unique,
    'a token without jti',
    claims({ jti: undefined }),
  ),
  badTokenCheck(
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
        await expectRejectedWith(world, 'a token that was used before', headers, probe)
      }),
  },
  {
    id: 'tokens.jti.kept',
    title: 'A token is still rejected at the end of the run',
    clause: unique,
    profile: 'full',
    hint: 'Keep every jti until its token has expired: neither a shorter lifetime nor a cache of a fixed size will do.',
    prepare: earlyUse,
    run: async (world) => {
      const { probe, headers, status, usedAt } = await earlyUse(world)
      if (status < 200 || status > 299) skip(`the first use got ${status || 'no answer'}`)
      const age = performance.now() - usedAt
      await pause(Math.max(0, world.options.replayAfterMs - age))
      const seconds = Math.round((performance.now() - usedAt) / 1000)
      await expectRejectedWith(world, `a token that was used ${seconds} s before`, headers, probe)
      return { seen: `replayed after ${seconds} s` }
    },
  },
  {
    id: 'tokens.jti.distinct',
    title: 'Ids that differ in case, or after a long common prefix, are different ids',
    clause: unique,
    profile: 'full',
    hint: 'Compare the whole jti byte for byte: no case-insensitive column, no truncation.',
    run: async (world) => {
      const prefix = `${randomUUID()}-${randomUUID()}-${randomUUID()}-`
      for (const jti of [`${prefix}a`, `${prefix}b`, `${prefix}A`]) {
        await expectAccepted(world, 'a token with a jti of its own', claims({ jti }))
      }
      return {}
    },
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
      await expectAccepted(world, 'a good token', claims({ jti }))
      await expectRejected(
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
      await expectAccepted(world, 'a good token', claims({ jti }), first)
      await expectRejected(
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
      await expectRejected(world, 'a token of an unknown key', {
        claims: { jti },
        key: { ...world.testKeys.stranger, kid: world.key.kid },
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
          decision: '0028-replay-protection',
          evidence: [answer],
        },
      }
    },
  },
]
