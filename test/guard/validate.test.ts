import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sampleValue, scrape } from '../observe/scrape.ts'
import { describeOnce } from '../support/engines.ts'
import { type GuardServer, openGuardServer } from '../support/guard-server.ts'
import type { Flags } from '../support/process.ts'
import { accountsPath, balancesPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import { accountsPage, openUpstream, respondJson } from '../support/upstream.ts'

const checked = 'holdfast_upstream_checked_responses_total'
const body = { data: { accountIds: ['a1'] } }

function withData(data: object): string {
  return JSON.stringify({ ...JSON.parse(accountsPage), data })
}

/** A response of B2. */
function balancesPage(...balances: object[]): string {
  return withData({ balances })
}

const valid = { accountId: 'a1', currentBalance: '10.00', availableBalance: '9.00' }

async function askBalances(
  t: Parameters<typeof openUpstream>[0],
  text: string,
  flags: Flags,
): Promise<[GuardServer, Awaited<ReturnType<GuardServer['ask']>>]> {
  const upstream = await openUpstream(t, respondJson(text))
  const guard = await openGuardServer(t, upstream.address, { 'metrics-port': '0', ...flags })
  return [guard, await guard.ask(balancesPath, { method: 'POST', body })]
}

function faultsIn(guard: GuardServer): unknown[] {
  return guard
    .log()
    .filter(({ msg }) => msg === 'invalid response of the upstream')
    .map(({ operation, path, reason }) => [operation, path, reason])
}

async function countChecked(guard: GuardServer, operation: string, outcome: string) {
  return sampleValue(await scrape(guard), checked, { operation, outcome }) ?? 0
}

const invalidBodies: Record<string, [text: string, path: string]> = {
  'a number instead of a decimal string': [
    balancesPage(valid, { ...valid, currentBalance: 10 }),
    'data.balances[*].currentBalance',
  ],
  'a missing field': [
    balancesPage({ accountId: 'a1', currentBalance: '1.00' }),
    'data.balances[*].availableBalance',
  ],
  'a misspelled field': [
    balancesPage({ account_id: 'a1', currentBalance: '1.00', availableBalance: '1.00' }),
    'data.balances[*].*',
  ],
  'no list': [withData({}), 'data.balances'],
  'text that is not JSON': ['{"data":', ''],
  'a repeated field': [balancesPage(valid).replace('{', '{"data":{},'), ''],
  'an array': ['[]', ''],
}

describeOnce('an invalid response', () => {
  for (const [name, [text, path]] of Object.entries(invalidBodies)) {
    it(`is a 502 with --validate enforce, such as ${name}`, async (t) => {
      const [guard, answer] = await askBalances(t, text, { validate: 'enforce' })

      assert.deepEqual([answer.status, answer.text], [502, '{"error":"Bad gateway"}'])
      assert.equal(await countChecked(guard, 'B2', 'invalid'), 1)
      assert.ok(
        faultsIn(guard).some((fault) => Array.isArray(fault) && fault[1] === path),
        JSON.stringify(faultsIn(guard)),
      )
    })

    it(`is handed on and reported with --validate report, such as ${name}`, async (t) => {
      const [guard, answer] = await askBalances(t, text, { validate: 'report' })

      assert.deepEqual([answer.status, answer.text], [200, text])
      await until(async () => (await countChecked(guard, 'B2', 'invalid')) === 1)
      assert.ok(faultsIn(guard).length > 0)
    })

    it(`is handed on with --validate off, such as ${name}`, async (t) => {
      const [guard, answer] = await askBalances(t, text, { validate: 'off' })

      assert.deepEqual([answer.status, answer.text], [200, text])
      await guard.close()
      assert.deepEqual(faultsIn(guard), [])
    })
  }

  it('is one of another version of accounts', async (t) => {
    const tiers = [{ name: 'all', unitOfMeasure: 'DOLLAR', minimumValue: '0' }]
    const depositRates = [{ depositRateType: 'FIXED', rate: 0.01, tiers }]
    const data = { accounts: [{ accountId: 'a1', depositRates }] }
    const upstream = await openUpstream(t, respondJson(withData(data)))
    for (const [version, status] of [
      ['4', 200],
      ['3', 502],
    ] as const) {
      const flags = { validate: 'enforce', 'account-version': version }
      const guard = await openGuardServer(t, upstream.address, flags)

      assert.equal((await guard.ask(accountsPath)).status, status, version)
    }
  })

  it('is logged once for each different fault, and ten of them at most', async (t) => {
    const fields = Array.from({ length: 20 }, (_, at) => ({ ...valid, currentBalance: at }))
    const upstream = await openUpstream(t, respondJson(balancesPage(...fields)))
    const guard = await openGuardServer(t, upstream.address, { validate: 'enforce' })

    for (let count = 0; count < 3; count += 1) {
      await guard.ask(balancesPath, { method: 'POST', body })
    }

    assert.deepEqual(faultsIn(guard), [
      ['B2', 'data.balances[*].currentBalance', 'must be a decimal string'],
    ])
  })
})

describeOnce('a response that the interface allows', () => {
  for (const [name, text] of Object.entries({
    'a valid one': balancesPage(valid),
    'one with fields of its own': balancesPage({ ...valid, colour: 'blue' }),
    'one with null instead of an absent field': balancesPage({ ...valid, currency: null }),
  })) {
    it(`passes with --validate enforce, such as ${name}`, async (t) => {
      const [guard, answer] = await askBalances(t, text, { validate: 'enforce' })

      assert.deepEqual([answer.status, answer.text], [200, text])
      assert.equal(await countChecked(guard, 'B2', 'valid'), 1)
    })
  }
})

describeOnce('the sample of --validate report', () => {
  it('has the first response of each operation, and then one of the given number', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address, {
      'metrics-port': '0',
      'validate-sample': '3',
    })

    for (let count = 0; count < 7; count += 1) await guard.ask(accountsPath)
    await guard.ask(balancesPath, { method: 'POST', body })

    await until(async () => (await countChecked(guard, 'B2', 'invalid')) === 1)
    assert.equal(await countChecked(guard, 'B1', 'valid'), 3)
  })

  it('hands on large responses unchanged, with or without a check', async (t) => {
    const balances = Array.from({ length: 2000 }, (_, index) => ({
      ...valid,
      accountId: `a${index}`,
    }))
    const text = balancesPage(...balances)
    const upstream = await openUpstream(t, respondJson(text))
    const flags = { 'metrics-port': '0', validate: 'report', 'validate-sample': '2' }
    const guard = await openGuardServer(t, upstream.address, flags)
    const ask = () => guard.ask(balancesPath, { method: 'POST', body })

    const answers = [...(await Promise.all([ask(), ask(), ask()])), await ask()]

    for (const answer of answers) assert.ok(answer.status === 200 && answer.text === text)
    await until(async () => (await countChecked(guard, 'B2', 'valid')) === 2)
  })

  it('counts a response that is too large to be checked', async (t) => {
    const text = balancesPage({ ...valid, padding: 'x'.repeat(2_000_000) })
    const [guard, answer] = await askBalances(t, text, { validate: 'report' })

    assert.equal(answer.text.length, text.length)
    await until(async () => (await countChecked(guard, 'B2', 'too large')) === 1)
  })

  it('includes a streamed response', async (t) => {
    const text = balancesPage({ ...valid, currentBalance: 1, padding: 'x'.repeat(400_000) })
    const [guard] = await askBalances(t, text, { validate: 'report' })

    await until(async () => (await countChecked(guard, 'B2', 'invalid')) === 1)
  })
})
