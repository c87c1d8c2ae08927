import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

describe('the README', () => {
  it('has the figures of the performance page', () => {
    const rows = read('docs/explanation/performance.md')
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
    const find = (name: RegExp) => rows.find(([, first = '']) => name.test(first)) ?? []
    const header = rows.find((cells) => cells.includes('requests/s')) ?? []
    const requests = find(/^B3: 25 transactions, ES256, 50 connections$/)
    const [sqlite, postgres] = ['SQLite', 'PostgreSQL'].map(
      (engine) => requests[header.indexOf(engine) + 1],
    )
    const [sqliteP95, postgresP95] = find(/^transactions at 450 requests\/s, .*, p95$/)
      .slice(3)
      .map((cell) => cell.split(' ')[0])
    const group = (cell = '') => Number(cell).toLocaleString('en')
    const readme = read('README.md').replaceAll('\n', ' ')

    for (const sentence of [
      `: ${group(sqlite)} requests for a page of transactions per second on SQLite, ${group(postgres)} on PostgreSQL;`,
      `95 % are answered within ${sqliteP95} and ${postgresP95} ms.`,
    ])
      assert.ok(readme.includes(sentence), sentence)
  })
})
