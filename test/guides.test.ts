import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { recordTypes } from '../src/contract/index.ts'
import { holdfastProgram } from './support/program.ts'

const guide = readFileSync(new URL('../docs/guides/load-data.md', import.meta.url), 'utf8')
const blocks = [...guide.matchAll(/```ndjson\n(.*?)```/gs)].map(([, block = '']) => block)

describe('the guide to loading data', () => {
  it('shows a line of every type', () => {
    const types = (blocks[0] ?? '')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)

    assert.deepEqual(new Set(types), new Set(Object.keys(recordTypes)))
  })

  it('has examples that load, as written, and deletes that leave what is not theirs', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-guide-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const database = `sqlite:${join(folder, 'guide.db')}`

    for (const [index, block] of blocks.entries()) {
      const file = join(folder, `${index}.ndjson`)
      writeFileSync(file, block)
      const { status, stderr } = spawnSync(
        process.execPath,
        [holdfastProgram, 'load', file, '--database', database],
        { encoding: 'utf8' },
      )
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    }
    const dump = execFileSync(process.execPath, [holdfastProgram, 'dump', '--database', database], {
      encoding: 'utf8',
    })

    const left = dump
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)
    assert.deepEqual(left, ['customer', 'customer', 'energy.account', 'energy.billing'])
  })
})
