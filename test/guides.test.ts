import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { recordTypes } from '../src/contract/index.ts'
import { temporaryFolder } from './support/folder.ts'
import { runInProcess } from './support/process.ts'

const guide = readFileSync(new URL('../docs/guides/load-data.md', import.meta.url), 'utf8')
const blocks = [...guide.matchAll(/```ndjson\n(.*?)```/gs)].map(([, block = '']) => block)

describe('the guide Load data', () => {
  it('shows a line of every record type', () => {
    const types = (blocks[0] ?? '')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)

    assert.deepEqual(new Set(types), new Set(Object.keys(recordTypes)))
  })

  it('has examples that load without errors, and delete lines that delete only their own records', async (t) => {
    const folder = await temporaryFolder(t)
    const database = `sqlite:${join(folder, 'guide.db')}`

    for (const [index, block] of blocks.entries()) {
      const file = join(folder, `${index}.ndjson`)
      writeFileSync(file, block)
      const { status, stderr } = await runInProcess(['load', file, '--database', database])
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    }
    const { stdout } = await runInProcess(['dump', '--database', database])

    const remaining = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)
    assert.deepEqual(remaining, ['customer', 'customer', 'energy.account', 'energy.billing'])
  })
})
