import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { createDatabase, deleteEmptyDatabase } from '../../src/storage/open.ts'
import {
  bareDatabase,
  createScope,
  currentEngine,
  describe,
  describeOn,
  runSql,
  type Scope,
} from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runInProcess } from '../support/process.ts'
import { put } from './lines.ts'

const valid = [put.customer('c1'), put.account('a1', ['c1']), put.balance('a1')]
const invalid = put.balance('a9')

/** An address without a database, and a command that loads lines into it. */
async function openAddress(t: Scope) {
  const scope = createScope(t)
  const folder = await temporaryFolder(scope)
  const bare = await bareDatabase(scope)
  const path = join(folder, 'bank.db')
  const database = currentEngine() === 'sqlite' ? `sqlite:${path}` : bare
  const input = join(await temporaryFolder(scope), 'lines.ndjson')
  return {
    folder,
    path,
    load(lines: readonly string[], ...flags: readonly string[]) {
      writeFileSync(input, lines.join('\n'))
      return runInProcess(['load', input, '--database', database, ...flags])
    },
    /** The files, or the tables of PostgreSQL. */
    async listContents(): Promise<readonly string[]> {
      if (currentEngine() === 'sqlite') return readdirSync(folder)
      const tables = await runSql(
        `select tablename from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
        database,
      )
      return tables.flat()
    },
    async dump(): Promise<string> {
      return (await runInProcess(['dump', '--database', database])).stdout
    },
  }
}

describe('holdfast load --dry-run without a database', () => {
  it('validates against an empty one, and creates nothing', async (t) => {
    const { load, listContents } = await openAddress(t)

    const { status, stdout, stderr } = await load(valid, '--dry-run')

    assert.match(stdout, /^3 lines validated in .* Nothing was changed\.\n/)
    assert.equal(stderr, 'there is no database yet: validating against an empty one\n')
    assert.equal(status, 0)
    assert.deepEqual(await listContents(), [])
  })

  it('reports the errors that the load reports', async (t) => {
    const { load, listContents } = await openAddress(t)
    const lines = [...valid, invalid, put.customer('c1', { email: '' })]

    const dry = await load(lines, '--dry-run')
    const contents = await listContents()
    const real = await load(lines)

    const [note, ...errors] = dry.stderr.split('\n')
    assert.match(note ?? '', /^there is no database yet/)
    assert.match(errors.join('\n'), /^2 errors in 5 lines/m)
    assert.equal(errors.join('\n'), real.stderr)
    assert.deepEqual([dry.status, real.status], [1, 1])
    assert.deepEqual(contents, [])
  })
})

describeOn('sqlite', 'a load that fails', () => {
  for (const [what, lines, flags] of [
    ['with an invalid line', [...valid, invalid], []],
    ['with only invalid batches', ['{}', '{}'], ['--batch', '1']],
    ['with warnings and --strict', valid, ['--strict']],
  ] as const) {
    it(`creates no database: ${what}`, async (t) => {
      const { load, listContents } = await openAddress(t)

      const { status } = await load(lines, ...flags)

      assert.equal(status, 1)
      assert.deepEqual(await listContents(), [])
    })
  }

  it('keeps the batches that it has committed', async (t) => {
    const { load, dump } = await openAddress(t)

    const { status } = await load([...valid, '{}'], '--batch', '3')

    assert.equal(status, 1)
    assert.equal((await dump()).trimEnd().split('\n').length, 3)
  })

  it('keeps a database that existed, even an empty one', async (t) => {
    const { path, load } = await openAddress(t)
    await load([])
    assert.ok(existsSync(path))

    await load([invalid])

    assert.ok(existsSync(path))
  })

  it('keeps a database that another process has opened meanwhile', async (t) => {
    const { path } = await openAddress(t)
    await createDatabase(`sqlite:${path}`)
    const other = new DatabaseSync(path)
    other.prepare('select * from customer').all()

    await deleteEmptyDatabase(`sqlite:${path}`)
    const isKept = existsSync(path)
    other.close()
    await deleteEmptyDatabase(`sqlite:${path}`)

    assert.deepEqual([isKept, existsSync(path)], [true, false])
  })
})
