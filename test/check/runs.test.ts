import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { pino } from 'pino'
import { getGroup } from '../../src/check/definition.ts'
import type { Report } from '../../src/check/report.ts'
import { suite } from '../../src/check/suite.ts'
import { CheckList, CheckRun, ContractError, checkGroups } from '../../src/contract/index.ts'
import { validator } from '../../src/contract/validate.ts'
import { openCheckRuns } from '../../src/platform/check-runs/check-runs.ts'
import { formatReport } from '../../src/platform/check-runs/format-report.ts'
import type { CheckRunStore } from '../../src/platform/check-runs/store.ts'
import { openPlatformChecks } from '../../src/server/open-check-runs.ts'
import { openCheckRunStore, openSigningKeyStore } from '../../src/storage/open.ts'
import {
  createScope,
  describe,
  describeOnce,
  newDatabase,
  shareOnEachEngine,
} from '../support/engines.ts'
import { createCheckOptions, openPlatform, type Platform } from '../support/platform.ts'
import { until } from '../support/until.ts'
import { ana, ben } from './data.ts'
import { openBank, openMemoryReplayStore, type Seam, subdomain } from './provider.ts'

const checksPath = '/v1/checks'
const hostile = '<img src=x onerror=alert(1)>'

const bank = shareOnEachEngine((scope) => openBank(scope, openMemoryReplayStore()))

/** Replaces the id of a customer, and can hold all responses back. */
function openFault() {
  let release = () => {}
  let gate: Promise<void> | undefined
  const seam: Seam = {
    app: (app) => app.addHook('onRequest', async () => gate),
    answer: (body, { ref }) => (ref === 'C3' && body?.id ? { ...body, id: hostile } : body),
  }
  return {
    seam,
    hold() {
      gate = new Promise((resolve) => {
        release = resolve
      })
    },
    release: () => {
      gate = undefined
      release()
    },
  }
}

/** A platform whose provider has a fault. */
async function openChecked(
  t: TestContext,
  around: (store: CheckRunStore) => CheckRunStore = (store) => store,
) {
  const scope = createScope(t)
  const fault = openFault()
  const { testKeys, serve } = await bank()
  const { url, close } = await serve(fault.seam)
  const database = await newDatabase(scope)
  scope.after(async () => {
    fault.release()
    await close()
  })
  const open = (inner: Parameters<typeof openPlatform>[0] = scope) =>
    openPlatform(inner, {
      database,
      checks: {
        openStore: async () => around(await openCheckRunStore(database)),
        signingKeys: {
          list: async () =>
            testKeys.keys.slice(0, 1).map(({ kid, alg, jwk }) => ({
              id: kid,
              algorithm: alg,
              privateKey: jwk,
              created: Temporal.Now.instant(),
            })),
        },
        findTarget: () => ({ url, subdomain, customers: [ana, ben], rate: 0 }),
        limits: { progressMs: 20 },
      },
    })
  return { ...fault, open, database }
}

async function openClient(platform: Platform, scope: 'operations.read' | 'operations.write') {
  const token = await platform.issueToken(await platform.register([scope], 'operators'))
  const headers = { authorization: `Bearer ${token}` }
  return {
    start: (body: unknown) => platform.send(checksPath, { method: 'POST', body, headers }),
    get: (path: string) => platform.get(path, headers),
    list: async () => (await platform.get(checksPath, headers)).body.data,
  }
}

describe('a check of the provider', () => {
  it('reports its progress to every process, and then what failed with the evidence', async (t) => {
    const { open, hold, release } = await openChecked(t)
    const operators = await openClient(await open(), 'operations.write')
    const readers = await openClient(await open(), 'operations.read')
    hold()

    const created = await operators.start({ profile: 'smoke', groups: ['consent'] })
    const path = created.headers['location'] ?? ''
    const refused = await operators.start({})
    const [running] = await readers.list()
    release()
    await until(async () => (await readers.get(path)).body.state === 'completed')
    const ended = await readers.get(path)

    assert.equal(created.status, 201)
    assert.equal(path, `${checksPath}/${created.body.checkId}`)
    assert.partialDeepStrictEqual(created.body, {
      state: 'running',
      profile: 'smoke',
      groups: ['consent'],
      startedBy: 'operators',
      progress: { done: 0, total: 0 },
    })
    assert.deepEqual(running, created.body)
    assert.equal(refused.status, 409)
    assert.deepEqual(refused.body, {
      error: 'A check is already running',
      checkId: created.body.checkId,
    })
    assert.deepEqual(validator(CheckRun).problems(ended.body), [])
    const { report, ...summary } = ended.body
    const failed = report.results.filter(isFailure)
    assert.deepEqual(summary.progress, { done: 5, total: 5, passed: 4, failed: 1, skipped: 0 })
    assert.deepEqual(
      failed.map(({ id }: { id: string }) => id),
      ['consent.identity.id'],
    )
    assert.ok(failed[0].evidence[0].response.body.includes(hostile))
    assert.deepEqual(
      failed[0].evidence[0].request.headers.find(
        ({ name }: { name: string }) => name === 'authorization',
      ),
      { name: 'authorization', value: 'Bearer [token]' },
    )
    const listed = await readers.get(checksPath)
    assert.deepEqual(validator(CheckList).problems(listed.body), [])
    assert.deepEqual(listed.body, { data: [summary] })
  })

  it('is interrupted when its process shuts down, which does not wait for it', async (t) => {
    const { open, hold } = await openChecked(t)
    const { list } = await openClient(await open(), 'operations.read')
    const closings: (() => Promise<void>)[] = []
    const platform = await open({ after: (close) => void closings.push(close) })
    const { start } = await openClient(platform, 'operations.write')
    hold()

    const { status } = await start({ profile: 'smoke' })
    for (const close of closings) await close()

    assert.equal(status, 201)
    assert.equal((await list())[0].state, 'interrupted')
  })

  it('is stored with its report after the database was not available at its end', async (t) => {
    let attempts = 0
    const { open } = await openChecked(t, (store) => ({
      ...store,
      async end(...values) {
        attempts += 1
        if (attempts < 3) throw new ContractError('unavailable')
        await store.end(...values)
      },
    }))
    const operators = await openClient(await open(), 'operations.write')
    const readers = await openClient(await open(), 'operations.read')
    const { headers } = await operators.start({ profile: 'smoke', groups: ['consent'] })
    const read = async () => (await readers.get(headers['location'] ?? '')).body
    await until(async () => (await read()).state !== 'running')

    const { state, report } = await read()
    assert.equal(state, 'completed')
    assert.ok(report.results.length > 0)
    assert.equal(attempts, 3)
  })
})

function isFailure(result: unknown): boolean {
  return (result as { judgement: string }).judgement === 'fail'
}

describeOnce('a check of the provider', () => {
  it('needs the scopes of operations, a known id and valid options', async (t) => {
    const platform = await openPlatform(t)
    const writer = await openClient(platform, 'operations.write')
    const reader = await openClient(platform, 'operations.read')
    const other = { authorization: `Bearer ${platform.token}` }

    const answers = [
      await platform.get(checksPath),
      await platform.get(checksPath, other),
      await platform.send(checksPath, { method: 'POST', body: {}, headers: other }),
      await reader.start({}),
      await reader.get(`${checksPath}/unknown`),
      await writer.start({ profile: 'all' }),
      await writer.start({ groups: ['others\0'] }),
      await writer.start({ url: 'https://other.example' }),
      await writer.start({}),
    ]

    assert.deepEqual(
      answers.map(({ status, body }) => `${status} ${body.error}`),
      [
        '401 Unauthorized',
        '403 Insufficient scope',
        '403 Insufficient scope',
        '403 Insufficient scope',
        '404 Check not found',
        '400 profile must be one of smoke, full',
        `400 groups[0] must be one of ${checkGroups.join(', ')}`,
        '400 url is not a field of this record',
        '422 HOLDFAST_PROVIDER_URL is not set',
      ],
    )
    assert.deepEqual((await writer.get(checksPath)).body, { data: [] })
  })

  it('needs a provider, test customers and a signing key', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const signingKeys = await openSigningKeyStore(database)
    scope.after(() => signingKeys.close())
    const telemetry = { log: pino({ level: 'silent' }) }
    const clock = () => Temporal.Now.instant()
    const start = (settings: object) =>
      openPlatformChecks({ database, ...settings }, telemetry, signingKeys, clock).start({}, 'me')

    const provider = { providerUrl: 'http://127.0.0.1:9', subdomain: 'bank' }
    await assert.rejects(start({}), {
      code: 'not_configured',
      message: 'HOLDFAST_PROVIDER_URL, HOLDFAST_SUBDOMAIN, HOLDFAST_CHECK_CUSTOMERS are not set',
    })
    await assert.rejects(start(provider), {
      message: 'HOLDFAST_CHECK_CUSTOMERS is not set',
    })
    await assert.rejects(start({ ...provider, checkCustomers: 'c1,ana@example.com' }), {
      message: 'the platform has no signing key: run holdfast keys add',
    })
  })

  it('ends with an error that names no data if its thread fails or takes too long', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const errors: unknown[] = []
    const { testKeys } = await bank()
    const [{ kid, alg, jwk } = assert.fail()] = testKeys.keys
    const key = { id: kid, algorithm: alg, privateKey: jwk, created: Temporal.Now.instant() }
    const open = (limits: object, customers: readonly string[]) => {
      const runs = openCheckRuns({
        ...createCheckOptions(database, { list: async () => [key] }, () => Temporal.Now.instant()),
        findTarget: () => ({ url: 'http://127.0.0.1:9', subdomain, customers }),
        onError: (error) => void errors.push(error),
        limits,
      })
      scope.after(() => runs.close())
      return runs
    }

    const slow = open({ durationMaxMs: 1 }, [ana])
    const { checkId } = await slow.start({ profile: 'smoke' }, 'me')
    await until(async () => (await slow.list())[0]?.state === 'error')
    // The checks reject a run without customers.
    const broken = open({}, [])
    await broken.start({ profile: 'smoke' }, 'me')
    await until(async () => (await broken.list())[0]?.state === 'error')

    const [second, first] = await slow.list()
    assert.equal(first?.checkId, checkId)
    assert.equal(first?.error, 'the checks took longer than 0 minutes')
    assert.equal(
      second?.error,
      'the checks ended with an internal error: see the log of the platform',
    )
    assert.deepEqual(errors.map(String), [
      'TypeError: at least one customer or e-mail address is required',
    ])
  })
})

describeOnce('a stored report', () => {
  it('leaves out evidence beyond a limit, and marks it', () => {
    const result = (id: string, body: string) => ({
      id,
      group: 'wire',
      title: 't',
      clause: { section: 's', reference: 'r', quote: 'q' },
      judgement: 'fail' as const,
      evidence: [
        {
          request: { method: 'POST', url: 'http://a', headers: { Accept: 'x' }, body },
          error: 'socket hang up',
        },
      ],
    })
    const report: Report = {
      target: 'http://a',
      subdomain: 'bank',
      startedAt: '2026-07-01T00:00:00Z',
      seconds: 1,
      profile: 'full',
      strict: false,
      capabilities: [],
      requests: 3,
      results: [result('a', 'x'.repeat(500)), result('b', 'x'.repeat(5000)), result('c', 'x')],
    }

    const stored = JSON.parse(formatReport(report, 1000)) as NonNullable<CheckRun['report']>

    assert.deepEqual(
      stored.results.map(({ evidence, isEvidenceOmitted }) => [evidence.length, isEvidenceOmitted]),
      [
        [1, undefined],
        [0, true],
        [1, undefined],
      ],
    )
    assert.deepEqual(stored.results[0]?.evidence[0]?.request.headers, [
      { name: 'accept', value: 'x' },
    ])
  })

  it('has the groups that the contract lists', () => {
    assert.deepEqual([...new Set(suite.map(getGroup))], [...checkGroups])
  })
})
