import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { splitLines } from '../load/bank.ts'
import {
  describeOn,
  describeOnce,
  newDatabase,
  postgresUrl,
  runSql,
  type Scope,
} from '../support/engines.ts'
import { runInProcess } from '../support/process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const guide = readFileSync(join(root, 'docs/guides/from-your-core-system.md'), 'utf8')
const sections = guide.split('\n## ')

interface Outcome {
  readonly dump: readonly string[]
  /** The lines that the section shows. */
  readonly shown: readonly string[]
}

/** Runs the commands of a section on an empty database. */
async function follow(scope: Scope, title: string, core = ''): Promise<Outcome> {
  const section = sections.find((each) => each.startsWith(`${title}\n`)) ?? ''
  const environment = { HOLDFAST_DATABASE: await newDatabase(scope) }
  let dump = ''
  for (const [, command = ''] of section.matchAll(/^npx holdfast (.+)$/gm)) {
    const args = command
      .replace('postgres://localhost/core', core)
      .split(' ')
      .map((arg) => (arg.startsWith('examples/') ? join(root, arg) : arg))
    const { status, stdout, stderr } = await runInProcess(args, environment)
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    dump = stdout
  }
  const [, shown = ''] = section.match(/```ndjson\n(.*?)```/s) ?? []
  return { dump: splitLines(dump), shown: splitLines(shown) }
}

/** The database that the guide creates with psql. */
async function createCore(scope: Scope): Promise<string> {
  const name = `core_${randomBytes(8).toString('hex')}`
  await runSql(`create database ${name}`)
  scope.after(async () => void (await runSql(`drop database ${name} with (force)`)))
  const url = new URL(name, await postgresUrl()).href
  const schema = join(root, 'examples/core-banking-postgres/schema.sql')
  await runSql(readFileSync(schema, 'utf8'), url)
  return url
}

function count(lines: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const line of lines) {
    const { type } = JSON.parse(line) as { type: string }
    counts[type] = (counts[type] ?? 0) + 1
  }
  return counts
}

/** The sum of the amounts of an account, in cents. */
function sumAmounts(lines: readonly string[], accountId: string): number {
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ type, record }) => type === 'banking.transaction' && record.accountId === accountId)
    .reduce((sum, { record }) => sum + Math.round(Number(record.amount) * 100), 0)
}

/** The guide shows a line of each type, as it is in the dump. */
function assertShown(shown: readonly string[], dump: readonly string[]): void {
  assert.equal(shown.length, 4)
  assert.deepEqual(
    shown.filter((line) => !dump.includes(line)),
    [],
  )
}

describeOnce('the guide From your core system to Holdfast', () => {
  it('maps the CSV exports to the lines that it shows', async (t) => {
    const { dump, shown } = await follow(t, 'CSV exports')

    assert.deepEqual(count(dump), {
      customer: 20,
      'banking.account': 50,
      'banking.balance': 50,
      'banking.transaction': 500,
    })
    assertShown(shown, dump)
    const rows = readFileSync(join(root, 'examples/core-banking-csv/transactions.csv'), 'utf8')
    const expected = rows
      .split('\r\n')
      .map((row) => row.replace(/"[^"]*(""[^"]*)*"/, '').split(','))
      .filter(([account]) => account === '20000002')
      .reduce((sum, cells) => sum + Number(cells[7]) * 100 - Number(cells[6]) * 100, 0)
    assert.equal(sumAmounts(dump, '20000002'), Math.round(expected))
  })
})

describeOn('postgres', 'the guide From your core system to Holdfast', () => {
  it('maps the PostgreSQL database to the lines that it shows', async (t) => {
    const core = await createCore(t)

    const { dump, shown } = await follow(t, 'A PostgreSQL database', core)

    assert.deepEqual(count(dump), {
      customer: 3,
      'banking.account': 3,
      'banking.balance': 3,
      'banking.transaction': 1200,
    })
    assertShown(shown, dump)
    const [[expected = ''] = []] = await runSql(
      `select sum(case side when 'C' then cents else -cents end)::text from posting
       where account_no = '062-100-2'`,
      core,
    )
    assert.equal(sumAmounts(dump, '062-100-2'), Number(expected))
  })
})
