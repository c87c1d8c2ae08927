import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { recordTypes } from '../src/contract/index.ts'
import { temporaryFolder } from './support/folder.ts'
import { runInProcess } from './support/process.ts'

const guide = readFileSync(new URL('../docs/guides/load-data.md', import.meta.url), 'utf8')
const [example = '', deletions = ''] = [...guide.matchAll(/```ndjson\n(.*?)```/gs)].map(
  ([, block = '']) => block,
)

/** Replaces values that differ in every run. */
function normalize(output: string): string {
  return output.replaceAll(/ in [\d.]+ s \([\d,]+ lines per second\)/g, ' in TIME')
}

describe('the guide Load data', () => {
  it('shows a line of every record type', () => {
    const types = example
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type)

    assert.deepEqual(new Set(types), new Set(Object.keys(recordTypes)))
  })

  it('has examples that load without errors, and delete lines that delete only their own records', async (t) => {
    const folder = await temporaryFolder(t)
    const database = `sqlite:${join(folder, 'guide.db')}`

    for (const [index, block] of [example, deletions].entries()) {
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
    assert.deepEqual(remaining, [
      'customer',
      'customer',
      'energy.account',
      'account.contact',
      'energy.billing',
    ])
  })

  it('has commands that print the documented output', async (t) => {
    const folder = await temporaryFolder(t)
    const previous = process.cwd()
    process.chdir(folder)
    t.after(() => process.chdir(previous))
    const environment = { HOLDFAST_DATABASE: `sqlite:${join(folder, 'guide.db')}` }
    const printed: string[] = []
    const documented: string[] = []

    for (const match of guide.matchAll(/([^\n]*)\n\n```(\w+)\n(.*?)```/gs)) {
      const [, before = '', language = '', text = ''] = match
      const [, name] = /Save \w+ as `([\w.]+)`/.exec(before) ?? []
      if (name) writeFileSync(name, text)
      const [command = '', ...output] = text.split('\n')
      if (
        language !== 'console' ||
        !/^\$ npx holdfast (?:load (?!--follow)|data check)/.test(command)
      )
        continue
      const { stdout, stderr } = await runInProcess(command.split(' ').slice(3), environment)
      printed.push(normalize(`${command}\n${stdout}${stderr}`))
      documented.push(normalize([command, ...output].join('\n')))
    }

    assert.deepEqual(printed, documented)
    assert.equal(printed.length, 8)
  })
})
