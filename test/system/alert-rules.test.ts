import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { run } from '../support/process.ts'

/** The program of Prometheus that checks rules, in Debian's package prometheus. */
const promtool = process.env['PROMTOOL'] ?? 'promtool'

async function runPromtool(...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await run([promtool, ...args], {
    cwd: fileURLToPath(new URL('../../packaging/prometheus', import.meta.url)),
    environment: { PATH: process.env['PATH'] },
  }).catch((error: Error) => {
    throw new Error('install promtool, or set PROMTOOL to its path', { cause: error })
  })
  assert.equal(status, 0, stdout + stderr)
  return stdout
}

describe('the alerts for Prometheus', () => {
  it('have no errors', async () => {
    assert.match(await runPromtool('check', 'rules', 'holdfast.rules.yml'), /SUCCESS: \d+ rules/)
  })

  it('fire when they should, and not before', async () => {
    assert.match(await runPromtool('test', 'rules', 'holdfast.rules.test.yml'), /SUCCESS/)
  })
})
