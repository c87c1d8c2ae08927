import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { run } from '../support/process.ts'

const program = fileURLToPath(new URL('../../soak/main.ts', import.meta.url))

/** Tests the same program as this test. */
const environment = { PROGRAM_FOR_TESTS: process.env['PROGRAM_FOR_TESTS'] }

const runSoak = (...args: readonly string[]) =>
  run([process.execPath, program, ...args], { environment })

describe('the soak test', () => {
  it('finds no fault within a second, and reports what it checked', async () => {
    const { stdout, stderr, status } = await runSoak('--minutes', '0.02', '--engine', 'sqlite')

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, stdout)
    assert.match(stdout, /^responses compared with the loaded data +[1-9]/m)
    assert.match(stdout, /^a load +[1-9]/m)
    for (const fault of ['wrong responses', 'accepted replays', 'dropped requests']) {
      assert.match(stdout, new RegExp(`^${fault} +0$`, 'm'))
    }
    assert.match(stdout, /^worker memory at the end +[1-9]/m)
  })

  it('prints its usage on request and for an unknown engine', async () => {
    assert.match((await runSoak('--help')).stderr, /--minutes N/)
    assert.equal((await runSoak('--engine', 'other')).status, 2)
  })
})
