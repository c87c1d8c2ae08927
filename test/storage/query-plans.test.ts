import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { openConsentStore, openProviderStore } from '../../src/storage/open.ts'
import { now } from '../consent/stores.ts'
import { describeOn, newDatabase } from '../support/engines.ts'

/** Runs the work, and returns the statements that it prepared, with the plan of each. */
async function collectPlans(
  t: TestContext,
  database: string,
  work: () => Promise<unknown>,
): Promise<(readonly [text: string, plan: string])[]> {
  const { mock } = t.mock.method(DatabaseSync.prototype, 'prepare')
  await work()
  const statements = mock.calls.map(({ arguments: [text] }) => text)
  using file = new DatabaseSync(database.slice('sqlite:'.length))
  const explain = (text: string) => file.prepare(`explain query plan ${text}`).all()
  return statements.map((text) => [text, JSON.stringify(explain(text))])
}

describeOn('sqlite', 'the arrangements', () => {
  it('are found by the end of those that are active, or in the order of a list', async (t) => {
    const database = await newDatabase(t)
    const store = await openConsentStore(database)
    t.after(() => store.close())
    const filter = { thirdPartyId: 'tp', status: 'active', isPresent: true, limit: 10 } as const

    const plans = await collectPlans(t, database, async () => {
      await store.arrangements.countActive(10, now)
      await store.authorisations.countActive(now)
      await store.arrangements.list(filter, now)
    })

    const byEnd = plans.filter(([text]) => /where status = 'active' and ends [<>]=? \?1/.test(text))
    assert.equal(byEnd.length, 4)
    for (const [, plan] of byEnd) assert.match(plan, /INDEX arrangement_active/)
    const [, plan] = plans.find(([text]) => text.includes('order by updated')) ?? []
    assert.match(plan ?? '', /INDEX arrangement_third_party_status/)
  })
})

describeOn('sqlite', 'the accounts of a request', () => {
  it('are looked up one by one, and so are their restrictions', async (t) => {
    const database = await newDatabase(t)
    const store = await openProviderStore(database)
    t.after(() => store.close())
    const page = { filters: { openStatus: 'ALL' }, page: 1, pageSize: 25 } as const

    const plans = await collectPlans(t, database, () =>
      store.listBalances({ customerId: 'c1', accountIds: ['a1'], ...page }),
    )

    const [, plan = ''] = plans.find(([text]) => text.includes('join balance')) ?? []
    assert.match(plan, /SEARCH a USING INDEX sqlite_autoindex_account_1/)
    assert.match(plan, /SEARCH r USING PRIMARY KEY/)
    assert.doesNotMatch(plan, /SEARCH r USING PRIMARY KEY \(target=\?\)/)
  })
})
