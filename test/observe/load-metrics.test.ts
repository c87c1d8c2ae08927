import assert from 'node:assert/strict'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import type { loadMetrics } from '../../src/server/observe/metric-definitions.ts'
import { describe, describeOnce, newDatabase } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runInProcess } from '../support/process.ts'
import { parseSamples, sampleValue } from './scrape.ts'

const customer = (id: string) =>
  JSON.stringify({ type: 'customer', record: { id, name: 'Ana', email: 'ana@example.com' } })

describe('holdfast load --metrics-file', () => {
  it('writes the result to the file', async (t) => {
    const folder = await temporaryFolder(t)
    const database = await newDatabase(t)
    const [lines, file] = [join(folder, 'lines.ndjson'), join(folder, 'load.prom')]
    const load = (text: string, ...more: readonly string[]) => {
      writeFileSync(lines, text)
      return runInProcess(['load', lines, '--database', database, '--metrics-file', file, ...more])
    }
    const value = (name: keyof typeof loadMetrics) =>
      sampleValue(parseSamples(readFileSync(file, 'utf8')), name)

    const valid = `${customer('c1')}\n${customer('c2')}\n`
    assert.equal((await load(valid)).status, 0)
    assert.deepEqual(
      [
        value('holdfast_load_lines'),
        value('holdfast_load_success'),
        value('holdfast_load_running'),
      ],
      [2, 1, 0],
    )
    assert.equal(value('holdfast_load_bytes'), valid.length)
    assert.equal(value('holdfast_load_size_bytes'), valid.length)
    const ended = value('holdfast_load_update_time_seconds') ?? 0
    assert.ok(ended >= (value('holdfast_load_start_time_seconds') ?? Number.POSITIVE_INFINITY))

    assert.equal((await load(`${customer('c3')}\nno line\n`)).status, 1)
    assert.deepEqual(
      [value('holdfast_load_lines'), value('holdfast_load_success'), value('holdfast_load_errors')],
      [2, 0, 1],
    )
    assert.equal((await load(valid, '--dry-run')).status, 0)
    assert.equal(value('holdfast_load_success'), 0)
  })
})

describeOnce('the file of holdfast load --metrics-file', () => {
  it('is not written through an existing link or temporary file', async (t) => {
    const folder = await temporaryFolder(t)
    const path = (name: string) => join(folder, name)
    writeFileSync(path('private'), 'untouched')
    chmodSync(path('private'), 0o600)
    // What another user could prepare in a folder that all users can write to.
    for (const name of ['load.prom', 'load.prom.tmp']) symlinkSync('private', path(name))

    const { status } = await loadCustomer(folder, path('load.prom'))

    assert.equal(status, 0)
    assert.equal(readFileSync(path('private'), 'utf8'), 'untouched')
    assert.equal(statSync(path('private')).mode & 0o777, 0o600)
    assert.ok(lstatSync(path('load.prom')).isFile())
    assert.equal(statSync(path('load.prom')).mode & 0o444, 0o444)
    const left = readdirSync(folder).filter((name) => name.startsWith('load.prom'))
    assert.deepEqual(left, ['load.prom', 'load.prom.tmp'])
  })

  it('leaves no temporary file behind if it cannot be replaced', async (t) => {
    const folder = await temporaryFolder(t)
    const file = join(folder, 'load.prom')
    mkdirSync(file)

    const { status, stderr } = await loadCustomer(folder, file)

    assert.deepEqual([status, stderr], [2, `${file} cannot be written\n`])
    assert.deepEqual(readdirSync(folder).sort(), ['lines.ndjson', 'load.prom'])
  })

  it('is reported if it cannot be written, before anything is read', async (t) => {
    const folder = await temporaryFolder(t)
    const file = join(folder, 'nowhere', 'load.prom')

    const { status, stderr } = await loadCustomer(folder, file)

    assert.deepEqual([status, stderr], [2, `${file} cannot be written\n`])
  })
})

function loadCustomer(folder: string, metricsFile: string) {
  const lines = join(folder, 'lines.ndjson')
  writeFileSync(lines, customer('c1'))
  const database = `sqlite:${join(folder, 'bank.db')}`
  return runInProcess(['load', lines, '--database', database, '--metrics-file', metricsFile])
}
