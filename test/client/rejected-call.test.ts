import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createScope, describeOnce, newDatabase } from '../support/engines.ts'
import { runInProcess } from '../support/process.ts'
import { respondWith } from './respond.ts'

describeOnce('holdfast call', () => {
  it('says what the token had if the provider rejects it', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    await runInProcess(['keys', 'add', '--database', database])
    const body = '{"error":"Unauthorized"}'
    const { url } = await respondWith(scope, () => ({ status: 401, body }))

    const { stderr } = await runInProcess([
      ...['call', 'listBankingAccounts', '--customer', 'c1', '--database', database],
      ...['--provider-url', url, '--subdomain', 'another'],
    ])

    assert.equal(
      stderr,
      `the provider returned 401: Unauthorized\nthe token had iss and sub "another", and aud "${url}/v1/banking/customer/c1/accounts"\n`,
    )
  })
})
