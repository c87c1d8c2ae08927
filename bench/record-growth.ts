import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeSigningKey } from '../src/auth/signing.ts'
import type { DisclosureRecord, ProviderRecord } from '../src/disclosures/record.ts'
import { openRecorder } from '../src/disclosures/recorder.ts'
import type { RecordStore } from '../src/disclosures/store.ts'
import { readCustomerRecords } from '../src/platform/consent/customer-records.ts'
import {
  createDatabase,
  openConsentStore,
  openProviderRecords,
  openReplayStore,
  openSigningKeyStore,
  sqlitePath,
} from '../src/storage/open.ts'
import { replayPath } from '../src/storage/sqlite/driver/files.ts'
import { makePostgres } from '../test/support/postgres.ts'
import { engines, runSql } from './bench.ts'
import { median } from './compare.ts'
import { holdfastProgram, requireLinux, runToEnd } from './processes.ts'

const help = `node bench/record-growth.ts [--records N] [--engine sqlite|postgres] [--of platform|provider]
                            [--concurrent N]

Stores records of answers as a server with so many concurrent requests does (50 by default), and prints how many were stored
in a second in each tenth, the bytes of a record, the time and memory of their verification, and the time in which the
first and last records of a customer are found; of a platform also that in which the page of a customer reads its records
and disclosures. 10,000,000 records need 20 GB in the temporary folder.
`

const sides = ['platform', 'provider'] as const
type Side = (typeof sides)[number]

const parts = 10
const customers = 100_000
const lookupCount = 100

/** How many consents the page of a customer lists. */
const consentsOfPage = 50
const tokenSeconds = 300

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '200000' },
    engine: { type: 'string', default: 'sqlite' },
    of: { type: 'string', default: 'provider' },
    concurrent: { type: 'string', default: '50' },
    help: { type: 'boolean', default: false },
  },
})
const records = Number(values.records)
const concurrent = Number(values.concurrent)
const engine = engines.find((name) => name === values.engine)
const side = sides.find((name) => name === values.of)
const isCount = (number: number, least: number) => Number.isSafeInteger(number) && number >= least
if (values.help || !engine || !side || !isCount(records, parts) || !isCount(concurrent, 1)) {
  process.stderr.write(help)
  process.exit(values.help ? 0 : 2)
}
requireLinux()
await measure(engine, side)

async function measure(engine: (typeof engines)[number], side: Side): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-records-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const postgres = engine === 'postgres' ? await makePostgres({ durable: true }) : undefined
  await postgres?.start()
  const database = postgres?.url() ?? `sqlite:${join(folder, 'bank.db')}`
  try {
    await createDatabase(database)
    const { lookups, add, close } = await openSide(database, side)
    const before = await readBytes(database, side)
    for (let part = 1; part <= parts; part += 1) {
      const seconds = await time(() => addMany(add, records / parts))
      const count = (records / parts) * part
      print(`${count} records`, `${Math.round(records / parts / seconds)} per second`)
    }
    await printLookups(lookups)
    await close()
    const bytes = (await readBytes(database, side)) - before
    const withUse = side === 'provider' ? ', with the use of its token' : ''
    print(`bytes of a record${withUse}`, (bytes / records).toFixed(0))
    let peak = 0
    const seconds = await time(async () => {
      const args = ['records', 'verify', '--of', side, '--database', database]
      peak = (await runToEnd(holdfastProgram, args)).peakMegabytes
    })
    print('verification', `${seconds.toFixed(1)} s, ${peak.toFixed(0)} MB`)
  } finally {
    await postgres?.remove()
  }
}

interface OpenSide {
  /** What is read of a customer, by its description. */
  readonly lookups: Readonly<Record<string, (customerId: string) => Promise<unknown>>>
  /** Resolves when a record is stored. */
  add(): Promise<unknown>
  close(): Promise<void>
}

async function openSide(database: string, side: Side): Promise<OpenSide> {
  const options = { clock: Temporal.Now.instant, onHead: () => {}, onError: fail }
  if (side === 'platform') {
    const { disclosureRecords: store, disclosures, close } = await openConsentStore(database)
    const signingKeys = await openSigningKeyStore(database)
    await signingKeys.add(await makeSigningKey('ES256', Temporal.Now.instant()))
    const recorder = openRecorder({ ...options, store, signingKeys })
    return {
      lookups: {
        ...listRecords(store),
        'page of the records of a customer': (id) => readCustomerRecords(store, id, undefined),
        [`last disclosures of ${consentsOfPage} consents`]: () =>
          disclosures.listLast(pickConsents()),
        'disclosures of a consent': (id) => disclosures.list(nameConsent(id)),
      },
      add: () => recorder.record(makeDisclosure()),
      async close() {
        await recorder.close()
        await signingKeys.close()
        await close()
      },
    }
  }
  const replays = await openReplayStore(database, Temporal.Now.instant)
  const { store, signingKeys, close } = await openProviderRecords(database)
  await signingKeys.add(await makeSigningKey('ES256', Temporal.Now.instant()))
  const { appendWithUses } = store
  const recorder = openRecorder({ ...options, store, appendWithUses, signingKeys })
  return {
    lookups: listRecords(store),
    add() {
      const keptUntil = Math.floor(Date.now() / 1000) + tokenSeconds
      return recorder.recordWithUse(makeAnswer(), { tokenId: randomUUID(), keptUntil })
    },
    async close() {
      await recorder.close()
      await close()
      await replays.close()
    },
  }
}

function fail(error: Error): never {
  throw error
}

function pickCustomer(): string {
  return `c-${String(randomInt(customers)).padStart(6, '0')}`
}

/** Of the page of one customer, which are as easy to find as those of several. */
function pickConsents(): string[] {
  return Array.from({ length: consentsOfPage }, () => nameConsent(pickCustomer()))
}

function nameConsent(customerId: string): string {
  return `consent-${customerId}`
}

function makeAnswer(customerId = pickCustomer()): ProviderRecord {
  return {
    operation: 'B3',
    interactionId: randomUUID(),
    keyId: 'platform-2026',
    customerId,
    status: 200,
    accountIds: [`${customerId}-1`],
    count: 25,
    oldest: '2026-01-01T00:00:00Z',
    newest: '2026-07-01T00:00:00Z',
  }
}

function makeDisclosure(): DisclosureRecord {
  const customerId = pickCustomer()
  const { keyId: _, ...answer } = makeAnswer(customerId)
  return {
    ...answer,
    operation: 'cds-transactions',
    thirdPartyId: randomBytes(16).toString('base64url'),
    consentId: nameConsent(customerId),
    customerId,
    isCustomerPresent: false,
    scopes: ['bank:transactions:read'],
    count: 25,
  }
}

async function addMany(add: OpenSide['add'], count: number): Promise<void> {
  let left = count
  await Promise.all(
    Array.from({ length: concurrent }, async () => {
      while (left > 0) {
        left -= 1
        await add()
      }
    }),
  )
}

function listRecords({ list }: Pick<RecordStore<never>, 'list'>): OpenSide['lookups'] {
  const read = (isNewestFirst: boolean) => (customerId: string) =>
    list({ customerId, isNewestFirst, limit: 1 })
  return { 'first record of a customer': read(false), 'last record of a customer': read(true) }
}

async function printLookups(lookups: OpenSide['lookups']): Promise<void> {
  for (const [name, lookUp] of Object.entries(lookups)) {
    const milliseconds: number[] = []
    for (let count = 0; count < lookupCount; count += 1) {
      const customerId = pickCustomer()
      milliseconds.push((await time(() => lookUp(customerId))) * 1000)
    }
    print(
      name,
      `${median(milliseconds).toFixed(1)} ms, at most ${Math.max(...milliseconds).toFixed(1)} ms`,
    )
  }
}

async function readBytes(database: string, side: Side): Promise<number> {
  if (database.startsWith('postgres')) {
    const { rows } = await runSql(database, 'select pg_database_size(current_database()) as bytes')
    return Number((rows[0] as { readonly bytes: string }).bytes)
  }
  const path = sqlitePath(database)
  return (
    statSync(side === 'provider' ? replayPath(path) : path, { throwIfNoEntry: false })?.size ?? 0
  )
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}

function print(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(46)} ${value}\n`)
}
