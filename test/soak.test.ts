import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../soak/main.ts', import.meta.url))

async function run(...args: string[]) {
  const child = spawn(process.execPath, [program, ...args])
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { stdout, stderr, status }
}

describe('the soak', () => {
  it('finds nothing wrong in a few seconds, and shows what it looked at', async () => {
    const { stdout, stderr, status } = await run('--minutes', '0.1', '--engine', 'sqlite')

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, stdout)
    assert.match(stdout, /^answers held against what was loaded +[1-9]/m)
    assert.match(stdout, /^a load +[1-9]/m)
    for (const fault of ['wrong answers', 'accepted replays', 'dropped requests']) {
      assert.match(stdout, new RegExp(`^${fault} +0$`, 'm'))
    }
    assert.match(stdout, /^memory of the workers at the end +[1-9]/m)
  })

  it('explains itself', async () => {
    assert.match((await run('--help')).stderr, /--minutes N/)
    assert.equal((await run('--engine', 'other')).status, 2)
  })
})
