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
  it('finds no fault in a short run of all parts, and reports what it checked', async () => {
    const { stdout, stderr, status } = await runSoak('--minutes', '0.02', '--engine', 'sqlite')

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, stdout)
    for (const part of [
      'responses compared with the loaded data',
      'a load',
      'feeds: batches acknowledged',
      'feeds: repeated batches',
      'feeds: batches for the feed of another client',
      'feeds: responses compared',
      'feeds: kills of the intake',
      'catalogue: updates acknowledged',
      'catalogue: drafts saved',
      'catalogue: versions compared',
      'consents: given',
      'consents: withdrawn',
      'consents: requests after the end',
      'kills of a platform',
      'guard: responses with 200',
      'guard: kills of the upstream',
      'guard: freezes of the upstream',
    ]) {
      assert.match(stdout, new RegExp(`^${part} +[1-9]`, 'm'), part)
    }
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
