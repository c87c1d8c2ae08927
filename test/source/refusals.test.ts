import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Operation, providerOperations, restrictionReasons } from '../../src/contract/index.ts'
import { toProviderReads } from '../../src/provider/source/to-provider-reads.ts'
import { missing, refused, type Source } from '../../src/server/index.ts'
import { describeOnce, type Scope } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import { ask, getOperation, type Ref, refs } from '../support/operations.ts'
import { openProvider } from '../support/provider.ts'
import { accountsPath, openSourceProvider, smallSource } from './source-provider.ts'

const operations = Object.entries<Operation>(providerOperations)
const ofCustomers = operations.filter(([, { path }]) => path.includes('{customerId}'))
const refsOfCustomers = ofCustomers.map(([, { ref }]) => ref as Ref)
const refsOfAccounts = refsOfCustomers.filter((ref) => getOperation(ref).names !== undefined)
const request = { customer: 'c1', accounts: ['a1'] }

/** A provider over a source whose functions all give the same answer. */
async function openAnswering(scope: Scope, answer: object) {
  const source = Object.fromEntries(operations.map(([id]) => [id, async () => answer])) as Source
  const store = { ...toProviderReads(source), overview: assert.fail, close: async () => {} }
  return openProvider(scope, [], { around: () => store })
}

function pick({ status, text, headers }: Answer) {
  return { status, text, isRefusal: headers['x-sharing-refused'] }
}

describeOnce('a source that refuses', () => {
  for (const kind of ['customer', 'account'] as const) {
    for (const reason of restrictionReasons) {
      it(`to share the ${kind} because of ${reason} answers like one that does not know it`, async (t) => {
        const unknown = await openAnswering(t, missing(kind))
        const restricted = await openAnswering(t, refused(kind, reason))

        for (const ref of kind === 'customer' ? refsOfCustomers : refsOfAccounts) {
          const expected = pick(await ask(unknown, ref, request))
          const inBody = kind === 'account' && getOperation(ref).names === 'body'

          assert.partialDeepStrictEqual(expected, { status: inBody ? 422 : 404 }, ref)
          assert.equal(expected.isRefusal, undefined)
          assert.deepEqual(
            pick(await ask(restricted, ref, request)),
            {
              ...expected,
              status: reason === 'harm' ? 403 : expected.status,
              isRefusal: 'true',
            },
            ref,
          )
        }
      })
    }
  }

  it('is asked by every operation, except for the search of customers', () => {
    assert.deepEqual(
      refs.filter((ref) => !refsOfCustomers.includes(ref)),
      ['C1'],
    )
  })

  for (const reason of ['attack', 'traffic_threshold', 'other', 7, null]) {
    it(`for the reason ${reason} is a 500`, async (t) => {
      const answer = { missing: 'customer', refused: reason }
      const listBankingAccounts = async () => answer as ReturnType<typeof missing<'customer'>>
      const source = { ...smallSource, listBankingAccounts }
      const { provider, ask, log } = await openSourceProvider(t, source)

      const { status, headers } = await ask(await provider.listen({ port: 0 }), accountsPath)

      assert.equal(status, 500)
      assert.equal(headers['x-sharing-refused'], undefined)
      const line = JSON.parse(log.find((each) => each.includes('request failed')) ?? '{}')
      assert.equal(
        line.err.message,
        'listBankingAccounts: refused is not one of harm, blocked, suspended',
      )
    })
  }

  it('cannot refuse to share an account that the request does not name', async (t) => {
    const listBankingAccounts = async () => refused('account', 'blocked')
    const source = { ...smallSource, listBankingAccounts } as unknown as Source
    const { provider, ask } = await openSourceProvider(t, source)

    assert.equal((await ask(await provider.listen({ port: 0 }), accountsPath)).status, 500)
  })
})
