import assert from 'node:assert/strict'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { describe, describeOn } from '../support/engines.ts'
import { makePostgres } from '../support/postgres.ts'
import { finish, type Process, runHoldfast, startHoldfast } from '../support/process.ts'
import { openBank } from './bank.ts'
import { put } from './lines.ts'

/** More than a pipe buffers. */
const lines = [
  put.customer('c1'),
  put.account('a1', ['c1']),
  ...Array.from({ length: 200 }, (_, index) =>
    put.transaction('a1', `t${index}`, { description: ''.padEnd(10_000, '.') }),
  ),
]
const incomplete = 'The dump is incomplete: do not use it.'

describe('an incomplete dump', () => {
  it('fails and reports that its reader closed the pipe, or that the disk is full', async (t) => {
    const bank = await openBank(t)
    await bank.fill(lines)

    const closed = await closeEarly(bank.start(['dump']))
    const full = await runOnFullDisk(['dump', '--database', bank.database()])

    const reason = 'the output cannot be written'
    assert.equal(closed.stderr, `${reason}: the reader closed the pipe. ${incomplete}\n`)
    assert.equal(full.stderr, `${reason}: no space left on the disk. ${incomplete}\n`)
    assert.deepEqual([closed.status, full.status], [1, 1])
  })
})

describeOn('postgres', 'a dump whose database becomes unreachable', () => {
  it('fails and reports that it is incomplete', async (t) => {
    const server = await makePostgres()
    t.after(() => server.remove())
    await server.start()
    const load = await runHoldfast(['load', '-', '--database', server.url()], {
      input: lines.join('\n'),
    })
    assert.equal(load.status, 0, load.stderr)

    const dump = startHoldfast(t, ['dump', '--database', server.url()])
    // The dump is blocked by backpressure, before its end.
    await once(dump.stdout, 'readable')
    await server.stop('crash')
    const { status, stderr } = await finish(dump)

    assert.match(stderr, /^the .*\. The dump is incomplete: do not use it\.\n$/)
    assert.equal(status, 1)
  })
})

describeOn('sqlite', 'a command whose output cannot be written', () => {
  for (const args of [['generate'], ['openapi'], ['--help']]) {
    it(`${args}: fails and reports that the disk is full`, async () => {
      const { status, stderr } = await runOnFullDisk(args)

      assert.equal(stderr, 'the output cannot be written: no space left on the disk\n')
      assert.equal(status, 1)
    })
  }

  it('generate: exits with 0 when its reader closes the pipe', async (t) => {
    const { status, stderr } = await closeEarly(startHoldfast(t, ['generate']))

    assert.deepEqual([status, stderr], [0, ''])
  })
})

function runOnFullDisk(args: readonly string[]) {
  return runHoldfast(args, { stdout: openSync('/dev/full', 'w') })
}

/** Waits for the first data and closes the pipe. */
async function closeEarly(child: Process) {
  await once(child.stdout, 'readable')
  child.stdout.destroy()
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { status, stderr }
}
