import assert from 'node:assert/strict'
import { it } from 'node:test'
import { checkProvider, countResults, publishKeys } from '../../src/check/index.ts'
import { ana, anaEmail, ben, dataLines, restricted } from '../check/data.ts'
import { createScope, describe, newDatabase } from '../support/engines.ts'
import { findFreePort } from '../support/free-port.ts'
import { openLocalServer } from '../support/local-server.ts'
import { openProvider } from '../support/provider.ts'

describe('a guard in front of a provider without token checks', () => {
  it('passes every check of a strict run', async (t) => {
    const scope = createScope(t)
    const upstream = await openProvider(scope, dataLines(), { clock: () => Temporal.Now.instant() })
    const testKeys = await publishKeys({ port: 0 })
    scope.after(testKeys.close)
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    await openLocalServer(scope, 'guard', {
      upstream: upstream.address,
      database: await newDatabase(scope),
      port: String(port),
      subdomain: 'bank',
      'provider-url': url,
      'jwks-url': testKeys.url ?? '',
      validate: 'enforce',
    })

    const report = await checkProvider({
      url,
      subdomain: 'bank',
      testKeys,
      customers: [ana, ben],
      emails: [anaEmail],
      ...restricted,
      rate: 0,
      replayAfterMs: 100,
      strict: true,
    })

    const others = report.results.filter(({ judgement }) => judgement !== 'pass')
    assert.deepEqual(
      others.map(({ id, reason }) => `${id}: ${reason}`),
      [],
    )
    assert.ok(countResults(report).pass > 150)
  })
})
