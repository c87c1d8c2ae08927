import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import fc from 'fast-check'
import { energyUsage } from '../../src/contract/examples/energy.ts'
import { formatLine } from '../../src/intake/dump.ts'
import { createDatabase, dumpProvider } from '../../src/storage/open.ts'
import { testedCitusVersions } from '../../src/storage/postgres/driver/citus-version.ts'
import { loadAt } from '../load/bank.ts'
import { put, removal } from '../load/lines.ts'
import { baseLines, randomLines } from '../load/random-lines.ts'
import { listCorrections } from '../support/corrections.ts'
import { openDeployment } from '../support/deployment.ts'
import {
  createScope,
  describeOn,
  describeOnCitus,
  newDatabase,
  postgresUrl,
  runSql,
} from '../support/engines.ts'
import { dumpDatabase } from '../support/load.ts'
import { runHoldfast, runInProcess } from '../support/process.ts'
import { propertyRuns } from '../support/properties.ts'
import { openProvider, type Provider } from '../support/provider.ts'
import { until } from '../support/until.ts'

const serve = [
  ...['serve', 'provider', '--port', '0', '--subdomain', 'bank'],
  ...['--provider-url', 'https://bank.example', '--jwks-url', 'https://keys.example/jwks'],
]

const otherLayout = (found: string, configured: string) =>
  new RegExp(`was created with the layout ${found}, not ${configured}: .*HOLDFAST_DATABASE_LAYOUT`)

describeOn('postgres', 'the layout citus', () => {
  it('is tested with the versions that the guide names', () => {
    const guide = readFileSync(new URL('../../docs/guides/citus.md', import.meta.url), 'utf8')
    assert.match(guide, new RegExp(`tested with Citus ${testedCitusVersions.join(' and ')} on`))
  })

  it('requires the extension citus, and its absence leaves nothing behind', async (t) => {
    const name = `plain_${randomBytes(8).toString('hex')}`
    await runSql(`create database ${name}`)
    t.after(async () => void (await runSql(`drop database ${name} with (force)`)))
    const database = new URL(name, await postgresUrl()).href
    const command = [...serve, '--create', '--database', database, '--database-layout', 'citus']
    const { status, stderr } = await runInProcess(command)
    assert.equal(status, 1)
    assert.match(stderr, /requires the extension citus .* run create extension citus/)
    await createDatabase(database, { layout: 'partitions' })
    assert.equal(await dumpDatabase(database), '')
  })

  it('is not that of a database with partitions', async (t) => {
    const command = [...serve, '--database', await newDatabase(t), '--database-layout', 'citus']
    const { status, stderr } = await runInProcess(command)
    assert.equal(status, 1)
    assert.match(stderr, otherLayout('partitions', 'citus'))
  })
})

const numbers = ['1', '2', '3', '4', '5', '6']
const bankAccounts = numbers.map((number) => `b${number}`)
const energyAccounts = numbers.map((number) => `e${number}`)
const records = ['1', '2', '3']

const accountLines = [
  put.customer('c1'),
  ...bankAccounts.map((id) => put.account(id, ['c1'])),
  ...energyAccounts.map((id) => put.energyAccount(id, ['c1'])),
]

/** How many records each list has in a state. */
const countRecords = (state: number) => 1 + (state % records.length)

/** Every record contains the number of the state. The balances are stored on the coordinator, the lists on the workers. */
function createState(state: number): string[] {
  const mark = `state-${state}`
  const balances = bankAccounts.map((id) => put.balance(id, { currency: mark }))
  const lists = records.flatMap((id, index) => {
    const isPut = index < countRecords(state)
    return [
      ...bankAccounts.map((accountId) =>
        isPut
          ? put.payment(accountId, id, { nickname: mark })
          : removal('banking.scheduledPayment', { accountId, scheduledPaymentId: id }),
      ),
      ...energyAccounts.flatMap((accountId) =>
        isPut
          ? [
              put.invoice(accountId, id, { servicePoints: [mark] }),
              put.billing(accountId, id, { usage: { ...energyUsage.usage, servicePointId: mark } }),
            ]
          : [
              removal('energy.invoice', { accountId, invoiceNumber: id }),
              removal('energy.billing', { accountId, id }),
            ],
      ),
    ]
  })
  return [...balances, ...lists]
}

/** Returns the state of all records in a text, which must have all records of these lists and as many balances. */
function readState(text: string, lists: number, balances = 0): number {
  const found = (text.match(/state-\d+/g) ?? []).map((mark) => Number(mark.slice('state-'.length)))
  const [state = -1] = found
  assert.deepEqual(found, Array(balances + lists * countRecords(state)).fill(state))
  return state
}

/** Loads one state after another until the work has ended, which can wait for the next loads. */
async function whileLoading(
  provider: Provider,
  work: (waitForLoads: () => Promise<void>) => Promise<void>,
): Promise<void> {
  let loaded = 0
  let isRunning = true
  const waitForLoads = () => {
    const before = loaded
    return until(() => loaded >= before + 2)
  }
  const working = work(waitForLoads).finally(() => {
    isRunning = false
  })
  // A failure of the work is reported at the end.
  working.catch(() => {})
  for (; isRunning; loaded += 1) await provider.load(createState(loaded + 1))
  await working
}

const requests = [
  ['/v1/banking/customer/c1/payments/scheduled', bankAccounts],
  ['/v1/energy/customer/c1/accounts/invoices', energyAccounts],
  ['/v1/energy/customer/c1/accounts/billing', energyAccounts],
] as const

describeOnCitus('while loads change all accounts', () => {
  it('a response about several accounts has one state, and no response an earlier one', async (t) => {
    const provider = await openProvider(t, [...accountLines, ...createState(0)])

    /** Until enough responses and enough states were compared. */
    const read = async ([path, accountIds]: (typeof requests)[number]): Promise<void> => {
      const observed = new Set<number>()
      let last = 0
      for (let count = 0; count < 100 || observed.size < 5; count += 1) {
        const answer = await provider.post(`${path}?page-size=100`, { data: { accountIds } })
        assert.equal(answer.status, 200, answer.text)
        const state = readState(answer.text, accountIds.length)
        assert.ok(state >= last, `state ${state} after ${last}`)
        last = state
        observed.add(state)
      }
    }
    await whileLoading(provider, async () => void (await Promise.all(requests.map(read))))
  })

  it('a dump has one state', async (t) => {
    const provider = await openProvider(t, [...accountLines, ...createState(0)])
    await whileLoading(provider, async (waitForLoads) => {
      for (let count = 0; count < 3; count += 1) {
        const lines: string[] = []
        for await (const item of dumpProvider(provider.database)) {
          if (lines.length === 0) await waitForLoads()
          lines.push(formatLine(item))
        }
        readState(lines.join('\n'), requests.length * numbers.length, bankAccounts.length)
      }
    })
  })
})

describeOnCitus('a list without the last commit of the coordinator', () => {
  it('is not served, changed or dumped until its state is accepted', async (t) => {
    const provider = await openProvider(t, [...accountLines, ...createState(0)])
    const [path, accountIds] = requests[0]
    const read = () => provider.post(`${path}?page-size=100`, { data: { accountIds } })
    const isUnfinished = /has not finished the commit of an earlier load/
    await runSql('update account_state set generation = generation + 1', provider.database)

    const { status, headers } = await read()
    assert.equal(status, 503)
    assert.ok(headers['retry-after'])
    await assert.rejects(provider.load(createState(1)), isUnfinished)
    await assert.rejects(Array.fromAsync(dumpProvider(provider.database)), isUnfinished)

    await runSql(
      `begin; truncate account_state;
       insert into account_state select account, generation from entry_state; commit`,
      provider.database,
    )
    assert.equal(readState((await read()).text, accountIds.length), 0)
    await provider.load(createState(1))
    assert.equal(readState((await read()).text, accountIds.length), 1)
  })
})

describeOnCitus('an account that is removed', () => {
  it('keeps one state of its lists on its data node and on the coordinator', async (t) => {
    const provider = await openProvider(t, [...accountLines, ...createState(0)])
    const assertSameStates = async () => {
      const states = `select (select count(*) from entry_state), (select count(*) from account_state),
        (select count(*) from entry_state e join account_state a using (account, generation))`
      const all = bankAccounts.length + energyAccounts.length
      assert.deepEqual((await runSql(states, provider.database))[0]?.map(Number), [all, all, all])
    }
    await assertSameStates()

    const [first = '', second = ''] = bankAccounts
    await provider.load([
      removal('banking.account', { accountId: first }),
      removal('banking.account', { accountId: second }),
      put.account(second, ['c1']),
    ])

    await assertSameStates()
    await provider.load([put.account(first, ['c1']), ...createState(1)])
    await assertSameStates()
    const [path] = requests[0]
    const answer = await provider.post(`${path}?page-size=100`, {
      data: { accountIds: bankAccounts },
    })
    assert.equal(readState(answer.text, bankAccounts.length), 1)
  })
})

describeOnCitus('a dump', () => {
  it('is the same as of a database with partitions', async (t) => {
    const databases = [await newDatabase(t), await newDatabase(t, 'partitions')] as const
    let hours = 0
    await fc.assert(
      fc.asyncProperty(randomLines, async (lines) => {
        hours += 1
        const at = Temporal.Instant.from('2026-01-01T00:00:00Z').add({ hours })
        const pieces = [...baseLines, ...lines].map((line) => Buffer.from(`${line}\n`))
        const dumps = await Promise.all(
          databases.map(async (database) => {
            await loadAt(database, at, pieces, { skipInvalid: true })
            return [await dumpDatabase(database), await listCorrections(database)]
          }),
        )
        assert.notEqual(dumps[0]?.[0], '')
        assert.deepEqual(dumps[0], dumps[1])
      }),
      propertyRuns(20),
    )
  })
})

describeOnCitus('a version of Citus that was never tested', () => {
  it('is reported by a command, and by a server in its log', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const { startProvider } = await openDeployment(scope, database)
    const expected = /Holdfast was never tested with Citus 13\.9: use 14\.0,/
    const tested = await runHoldfast(['dump', '--database', database])
    assert.deepEqual(tested, { status: 0, stdout: '', stderr: '' })

    const name = new URL(database).pathname.slice(1)
    await runSql(`alter database ${name} set citus.enable_version_checks = off`, database)
    await runSql(`update pg_extension set extversion = '13.9-1' where extname = 'citus'`, database)
    try {
      const { status, stderr } = await runHoldfast(['dump', '--database', database])
      assert.equal(status, 0, stderr)
      assert.match(stderr, expected)
      assert.equal(stderr.match(new RegExp(expected, 'g'))?.length, 1)
      const provider = await startProvider()
      const logged = () => provider.log().filter(({ msg }) => expected.test(String(msg)))
      await until(() => logged().length > 0)
      assert.deepEqual(
        logged().map(({ level }) => level),
        [40],
      )
      assert.match(provider.stderr(), new RegExp(`HoldfastWarning: ${expected.source}`))
    } finally {
      const version = `'${testedCitusVersions.at(-1)}-1'`
      await runSql(
        `update pg_extension set extversion = ${version} where extname = 'citus'`,
        database,
      )
    }
  })
})

describeOnCitus('a server with the layout partitions', () => {
  it('does not start on a database with the layout citus', async (t) => {
    const database = ['--database', await newDatabase(t)]
    const command = [...serve, ...database, '--database-layout', 'partitions']
    const { status, stderr } = await runInProcess(command)
    assert.equal(status, 1)
    assert.match(stderr, otherLayout('citus', 'partitions'))
  })
})
