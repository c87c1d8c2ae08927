import assert from 'node:assert/strict'
import { it } from 'node:test'
import { countsOf } from '../../src/check/index.ts'
import { type Operation, providerOperations } from '../../src/contract/index.ts'
import { describe, sharedOnEachEngine } from '../support/engines.ts'
import { anaEmail } from './data.ts'
import { openBank } from './provider.ts'

describe('our own server', () => {
  const bank = sharedOnEachEngine(openBank)

  it('keeps every clause, and every choice as it was decided', async () => {
    const { check } = await bank()

    const report = await check({}, { strict: true, emails: [anaEmail] })

    const others = report.results.filter(({ judgement }) => judgement !== 'pass')
    assert.deepEqual(
      others.map(({ id, reason }) => `${id}: ${reason}`),
      [],
    )
    assert.ok(countsOf(report).pass > 150)
  })

  it('is found by an e-mail address alone', async () => {
    const { check } = await bank()

    const report = await check({}, { customers: [], emails: [anaEmail], profile: 'smoke' })

    const { fail, pass } = countsOf(report)
    const skipped = report.results.filter(({ judgement }) => judgement === 'skip')
    assert.equal(fail, 0)
    assert.ok(pass > 30)
    // One customer cannot show whether two are kept apart.
    assert.deepEqual(
      skipped.map(({ id }) => id),
      ['isolation.path', 'isolation.body', 'isolation.concurrent'],
    )
  })

  it('is asked for what the interface has, and for nothing that would change it', async () => {
    const { check } = await bank()
    const asked = new Set<string>()
    const known = Object.values<Operation>(providerOperations).map(
      ({ method, path }) => `${method} ${path}`,
    )

    await check(
      {
        app: (app) =>
          app.addHook('onRequest', async ({ method, routeOptions: { config } }) => {
            asked.add(`${method} ${config.operation?.path}`)
          }),
      },
      { profile: 'smoke' },
    )

    assert.deepEqual(
      [...asked].filter((request) => !known.includes(request)),
      [],
    )
    assert.equal(asked.size, known.length)
  })
})
