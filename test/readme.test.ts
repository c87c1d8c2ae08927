import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const read = (path: string) =>
  readFileSync(new URL(`../${path}`, import.meta.url), 'utf8').replaceAll('\n', ' ')

describe('the README', () => {
  it('has the figures of the performance page', () => {
    const page = read('docs/explanation/performance.md')
    const [, , , , sqlite, , postgres] =
      /\| B3: [^|]*ES256, 50 connections \|[^B]*/.exec(page)?.[0].split('|').slice(1) ?? []
    const [, sqliteP95, postgresP95] =
      /\| B3, p95 at 450 requests\/s [^|]*\| ([\d.]+) of [^|]*\| ([\d.]+) of /.exec(page) ?? []
    const group = (cell = '') => Number(cell).toLocaleString('en')
    const readme = read('README.md')

    for (const sentence of [
      `: ${group(sqlite)} requests for a page of transactions per second on SQLite, ${group(postgres)} on PostgreSQL;`,
      `95 % are answered within ${sqliteP95} and ${postgresP95} ms.`,
    ])
      assert.ok(readme.includes(sentence), sentence)
  })
})
