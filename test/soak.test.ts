import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { run } from './support/process.ts'

const program = fileURLToPath(new URL('../soak/main.ts', import.meta.url))

const runSoak = (...args: readonly string[]) => run([process.execPath, program, ...args])

describe('the soak', () => {
  it('finds nothing wrong in a few seconds, and shows what it looked at', async () => {
    const { stdout, stderr, status } = await runSoak('--minutes', '0.1', '--engine', 'sqlite')

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, stdout)
    assert.match(stdout, /^answers held against what was loaded +[1-9]/m)
    assert.match(stdout, /^a load +[1-9]/m)
    for (const fault of ['wrong answers', 'accepted replays', 'dropped requests']) {
      assert.match(stdout, new RegExp(`^${fault} +0$`, 'm'))
    }
    assert.match(stdout, /^memory of the workers at the end +[1-9]/m)
  })

  it('explains itself', async () => {
    assert.match((await runSoak('--help')).stderr, /--minutes N/)
    assert.equal((await runSoak('--engine', 'other')).status, 2)
  })
})
