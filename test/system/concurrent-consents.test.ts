import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openBrowser } from '../consent/browser.ts'
import { agree, issuer, nextCustomer, openConsentPlatform } from '../consent/platform.ts'
import { registerThirdParty } from '../consent/third-party.ts'
import { describe } from '../support/engines.ts'

const flowCount = 30

describe('many consent flows at once', () => {
  it('complete in two processes, each with its own customer', async (t) => {
    const platform = await openConsentPlatform(t)
    const other = await platform.openAnother()
    const thirdParty = await registerThirdParty(platform)

    const results = await Promise.all(
      Array.from({ length: flowCount }, async () => {
        const customer = nextCustomer()
        const started = await thirdParty.start()
        const browser = openBrowser(issuer, platform.port, other)
        await browser.open(started.url)
        const tokens = await thirdParty.exchange(await agree(browser, platform, customer), started)
        return { customer, id: String(tokens['cdr_arrangement_id']) }
      }),
    )

    for (const { customer, id } of results) {
      const found = await platform.store.arrangements.find(id, Temporal.Now.instant())
      assert.deepEqual(
        [found?.customerId, found?.accountIds],
        [customer.id, [customer.accounts[0]]],
      )
    }
  })
})
