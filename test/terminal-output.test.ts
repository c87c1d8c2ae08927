import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { temporaryFolder } from './support/folder.ts'
import { runHoldfast } from './support/process.ts'

/** Contains a right-to-left override, a zero-width space and an escape sequence that clears the screen. */
const hostile = 'x\u202ey\u200bz\u001b[2Jforged'
const escaped = 'x\\u202ey\\u200bz\\u001b[2Jforged'

describe('untrusted text in the output of a command', { concurrency: 4 }, () => {
  it('is escaped in the errors of a load, in the terminal and in the error file', async (t) => {
    const folder = await temporaryFolder(t)
    const file = join(folder, `${hostile}\n.ndjson`)
    const errors = join(folder, 'errors.txt')
    const record = { id: 'c1', name: 'Ana', email: 'a@example.com', [hostile]: 1 }
    writeFileSync(file, JSON.stringify({ type: 'customer', record }))

    const database = `sqlite:${join(folder, 'bank.db')}`
    const run = await runHoldfast(['load', file, '--database', database, '--errors', errors])

    const place = `${join(folder, escaped)}\\u000a.ndjson:1`
    const error = `${escaped}: is not a field of this record; --unknown-fields drop leaves it out`
    assert.equal(run.status, 1)
    assert.ok(run.stderr.startsWith(`1 × ${error} (at ${place})\n`), run.stderr)
    assert.equal(readFileSync(errors, 'utf8'), `${place}: ${error}\n`)
  })

  it('is escaped in the name of a client', async (t) => {
    const folder = await temporaryFolder(t)
    const database = `sqlite:${join(folder, 'catalogue.db')}`
    const name = 'pricing\u202eteam\u200b'
    await runHoldfast(['client', 'add', name, '--scope', 'products.read', '--database', database])

    const { stdout } = await runHoldfast(['client', 'list', '--database', database])

    assert.ok(stdout.endsWith('  pricing\\u202eteam\\u200b\n'), stdout)
  })

  it('is escaped in the table of settings and in JSON, which keeps the value', async () => {
    const database = `sqlite:${hostile}\n.db`
    const args = ['settings', 'platform', '--database', database]

    const [table, json] = await Promise.all([runHoldfast(args), runHoldfast([...args, '--json'])])

    assert.ok(table.stdout.includes(` sqlite:${escaped}\\u000a.db `), table.stdout)
    assert.doesNotMatch(json.stdout, /[^\n -~]/)
    assert.equal(JSON.parse(json.stdout).HOLDFAST_DATABASE.value, database)
  })

  it('is escaped in the name of an unknown variable, command or file', async () => {
    const runs = await Promise.all([
      runHoldfast(['settings', 'platform'], {
        environment: { [`HOLDFAST_${hostile}`]: '1' },
      }),
      runHoldfast([hostile]),
      runHoldfast(['load', hostile]),
    ])

    for (const { stderr } of runs) assert.ok(stderr.includes(escaped), stderr)
  })
})
