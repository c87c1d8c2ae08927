import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { run } from './process.ts'

/** The program of Prometheus that checks rules and metrics, in Debian's package prometheus. */
const promtool = process.env['PROMTOOL'] ?? 'promtool'

/** Runs promtool in the folder of the rules; it must succeed. Returns what it prints. */
export async function runPromtool(args: readonly string[], input?: string): Promise<string> {
  const { status, stdout, stderr } = await run([promtool, ...args], {
    cwd: fileURLToPath(new URL('../../packaging/prometheus', import.meta.url)),
    environment: { PATH: process.env['PATH'] },
    ...(input !== undefined && { input }),
  }).catch((error: Error) => {
    throw new Error('install promtool, or set PROMTOOL to its path', { cause: error })
  })
  assert.equal(status, 0, stdout + stderr)
  return stdout + stderr
}
