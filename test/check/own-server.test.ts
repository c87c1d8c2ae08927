import assert from 'node:assert/strict'
import { it } from 'node:test'
import { countResults } from '../../src/check/index.ts'
import { type Operation, providerOperations } from '../../src/contract/index.ts'
import type { HttpApp } from '../../src/http/app.ts'
import { withoutRestricted } from '../support/checks.ts'
import { describe, describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { anaEmail, blockedEnergyAccount, restricted } from './data.ts'
import { onlyChecks, openBank } from './provider.ts'

const bank = shareOnEachEngine(openBank)

/** A strict run, and the operations that it requested. */
const checked = shareOnEachEngine(async () => {
  const { check } = await bank()
  const requested = new Set<string>()
  const app = (app: HttpApp) =>
    app.addHook('onRequest', async ({ method, routeOptions: { config } }) => {
      requested.add(`${method} ${config.operation?.path}`)
    })
  return { report: await check({ app }, { strict: true, emails: [anaEmail] }), requested }
})

describe('our own server', () => {
  it('passes every check of a strict run', async () => {
    const { report } = await checked()

    const others = report.results.filter(({ judgement }) => judgement !== 'pass')
    assert.deepEqual(
      others.map(({ id, reason }) => `${id}: ${reason}`),
      [],
    )
    assert.ok(countResults(report).pass > 150)
  })
})

describeOnce('our own server', () => {
  it('can be checked with an e-mail address only', async () => {
    const { check } = await bank()

    const report = await check(
      {},
      {
        ...onlyChecks('consent', 'isolation', 'schemas', 'wire'),
        customers: [],
        emails: [anaEmail],
        profile: 'smoke',
      },
    )

    const { fail, pass } = countResults(report)
    const skipped = report.results.filter(({ judgement }) => judgement === 'skip')
    assert.equal(fail, 0)
    assert.ok(pass > 25)
    // Isolation needs two customers.
    assert.deepEqual(
      skipped.map(({ id }) => id),
      ['isolation.path', 'isolation.body', 'isolation.concurrent'],
    )
  })

  it('refuses an energy account as it refuses a bank account', async () => {
    const { check } = await bank()
    const options = { ...onlyChecks('refusals'), blockedAccount: blockedEnergyAccount }

    const { results } = await check({}, options)

    const others = results.filter(({ judgement }) => judgement !== 'pass')
    assert.deepEqual(
      others.map(({ id, reason }) => `${id}: ${reason}`),
      ['refusals.harm.precedence: the two accounts are not of the same customer and kind'],
    )
    const { seen = '' } = results.find(({ id }) => id === 'refusals.blocked') ?? {}
    assert.match(seen, /E2, .*EX1/)
  })

  it('is not checked for refusals unless the options name what it refuses', async () => {
    const { check } = await bank()
    const names = Object.keys(restricted)
    const options = Object.fromEntries(names.map((name) => [name, undefined]))

    const { results } = await check({}, { ...onlyChecks('refusals'), ...options })

    const skipped = results.filter(({ judgement }) => judgement === 'skip')
    assert.deepEqual(
      results.filter(({ judgement }) => judgement === 'pass').map(({ id }) => id),
      ['refusals.others'],
    )
    assert.deepEqual(new Set(skipped.map(({ reason }) => reason)), new Set(withoutRestricted))
    assert.equal(skipped.length, results.length - 1)
  })

  it('receives requests for every operation, and no others', async () => {
    const { requested } = await checked()
    const known = Object.values<Operation>(providerOperations).map(
      ({ method, path }) => `${method} ${path}`,
    )

    assert.deepEqual(
      [...requested].filter((request) => !known.includes(request)),
      [],
    )
    assert.equal(requested.size, known.length)
  })
})
