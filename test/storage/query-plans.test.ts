import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { openConsentStore } from '../../src/storage/open.ts'
import { now } from '../consent/stores.ts'
import { describeOn, newDatabase } from '../support/engines.ts'

describeOn('sqlite', 'the arrangements', () => {
  it('are found by the end of those that are active, or in the order of a list', async (t) => {
    const database = await newDatabase(t)
    const store = await openConsentStore(database)
    t.after(() => store.close())
    const { mock } = t.mock.method(DatabaseSync.prototype, 'prepare')

    await store.arrangements.countActive(10, now)
    await store.authorisations.countActive(now)
    const filter = { thirdPartyId: 'tp', status: 'active', isPresent: true, limit: 10 } as const
    await store.arrangements.list(filter, now)
    const statements = mock.calls.map(({ arguments: [text] }) => text)
    using file = new DatabaseSync(database.slice('sqlite:'.length))
    const explain = (text: string) => file.prepare(`explain query plan ${text}`).all()
    const plans = statements.map((text) => [text, JSON.stringify(explain(text))] as const)
    const findPlans = (part: string) =>
      plans.filter(([text]) => text.includes(part)).map(([, plan]) => plan)

    const byEnd = [
      ...findPlans(`where status = 'active' and ends > ?1`),
      ...findPlans(`where status = 'active' and ends <= ?1`),
    ]
    assert.equal(byEnd.length, 4)
    for (const plan of byEnd) assert.match(plan, /INDEX arrangement_active/)
    const [page] = findPlans('order by updated')
    assert.match(page ?? '', /INDEX arrangement_third_party_status/)
  })
})
