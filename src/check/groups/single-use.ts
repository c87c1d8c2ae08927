import { randomUUID } from 'node:crypto'
import type { CheckContext } from '../context.ts'
import type { Check } from '../definition.ts'
import { pause } from '../http-client.ts'
import { fail, skip } from '../outcome.ts'
import { formatStatus } from '../responses.ts'
import {
  expectAccepted,
  expectRejected,
  expectRejectedWith,
  findSample,
  tryToken,
} from '../sample-request.ts'
import {
  badTokenCheck,
  claimClauses,
  epochSeconds,
  findSamples,
  forEveryOperation,
} from '../token-cases.ts'

const { jti: unique } = claimClauses
const concurrentUses = 8

/** Uses a token at the start of the run. */
function useEarly(context: CheckContext) {
  return context.once('early use of a token', async () => {
    const sample = await findSample(context)
    const headers = context.authorize(sample.operation, sample.input.params)
    const { status } = await context.send(sample.operation, sample.input, headers)
    return { sample, headers, status, usedAt: performance.now() }
  })
}

export const singleUse: readonly Check[] = [
  badTokenCheck('jti.missing', 'A token without an id is rejected', { jti: undefined }),
  badTokenCheck('jti.empty', 'A token with an empty id is rejected', { jti: '' }),
  {
    id: 'tokens.jti.replayed',
    title: 'A token is accepted once',
    clause: unique,
    profile: 'smoke',
    hint: 'Store every jti until its token has expired, in one place for all processes.',
    run: forEveryOperation(async (context, sample) => {
      const headers = context.authorize(sample.operation, sample.input.params)
      const first = await context.send(sample.operation, sample.input, headers)
      if ([0, 401, 403].includes(first.status) || first.status >= 500) {
        skip(`the first use returned ${formatStatus(first)}`)
      }
      await expectRejectedWith(context, 'a token that was used before', headers, sample)
    }),
  },
  {
    id: 'tokens.jti.kept',
    title: 'A token is still rejected at the end of the run',
    clause: unique,
    hint: 'Store every jti until its token has expired: a shorter lifetime or a cache of a fixed size is not enough.',
    prepare: useEarly,
    run: async (context) => {
      const { sample, headers, status, usedAt } = await useEarly(context)
      if (status < 200 || status > 299) skip(`the first use returned ${status || 'no response'}`)
      const age = performance.now() - usedAt
      await pause(Math.max(0, context.options.replayAfterMs - age))
      const seconds = Math.round((performance.now() - usedAt) / 1000)
      const subject = `a token that was used ${seconds} s before`
      await expectRejectedWith(context, subject, headers, sample)
      return { seen: `replayed after ${seconds} s` }
    },
  },
  {
    id: 'tokens.jti.distinct',
    title: 'Ids that differ in case, or after a long common prefix, are different ids',
    clause: unique,
    hint: 'Compare the whole jti byte for byte: no case-insensitive column, no truncation.',
    run: async (context) => {
      const prefix = `${randomUUID()}-${randomUUID()}-${randomUUID()}-`
      for (const jti of [`${prefix}a`, `${prefix}b`, `${prefix}A`]) {
        await expectAccepted(context, 'a token with a unique jti', { claims: { jti } })
      }
      return {}
    },
  },
  {
    id: 'tokens.jti.raced',
    title: 'Of concurrent uses of a token, one is accepted',
    clause: unique,
    hint: 'Check and store the jti in one atomic step: a check followed by a write accepts two.',
    run: async (context) => {
      const { operation, input } = await findSample(context)
      const headers = context.authorize(operation, input.params)
      const responses = await Promise.all(
        Array.from({ length: concurrentUses }, () => context.send(operation, input, headers, true)),
      )
      const accepted = responses.filter(({ isSuccess }) => isSuccess)
      if (accepted.length === 1) return { seen: `1 of ${concurrentUses} was accepted` }
      if (accepted.length === 0) skip('none of them was accepted')
      return fail(
        `${operation.ref}: ${accepted.length} of ${concurrentUses} concurrent uses of one token were accepted`,
        { expected: 'one accepted use', evidence: accepted.slice(0, 2) },
      )
    },
  },
  {
    id: 'tokens.jti.repeated',
    title: 'Another token with the same id is rejected',
    clause: unique,
    run: async (context) => {
      const jti = randomUUID()
      await expectAccepted(context, 'a valid token', { claims: { jti } })
      const claims = { jti, exp: epochSeconds() + 200 }
      await expectRejected(context, 'another token with the same jti', { claims })
      return {}
    },
  },
  {
    id: 'tokens.jti.elsewhere',
    title: 'An id that was used for one resource is rejected for all others',
    clause: unique,
    run: async (context) => {
      const first = await findSample(context)
      const other = (await findSamples(context)).find(
        ({ operation }) => operation !== first.operation,
      )
      if (!other) return skip('the provider has only one operation')
      const claims = { jti: randomUUID() }
      await expectAccepted(context, 'a valid token', { claims }, first)
      const subject = 'a token for another resource with the same jti'
      await expectRejected(context, subject, { claims }, other)
      return {}
    },
  },
  {
    id: 'tokens.jti.forged',
    title: 'Whether a forged token uses up the id of a valid token is reported',
    clause: unique,
    choice: {
      ofHoldfast: 'an id is stored only if the token is valid',
      decision: '0028-replay-protection',
    },
    run: async (context) => {
      const claims = { jti: randomUUID() }
      const key = { ...context.testKeys.untrusted, kid: context.key.kid }
      await expectRejected(context, 'a token signed with an unknown key', { claims, key })
      const sample = await findSample(context)
      const headers = context.authorize(sample.operation, sample.input.params, { claims })
      const response = await tryToken(context, sample, headers)
      const { isSuccess, status } = response
      return {
        seen: isSuccess ? 'it does not' : `it does: the valid token was rejected with ${status}`,
        isHoldfastChoice: isSuccess,
        evidence: [response],
      }
    },
  },
]
