import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { inherited } from '../support/environment.ts'
import { holdfastProgram } from '../support/program.ts'

const guide = readFileSync(
  new URL('../../docs/guides/test-your-provider.md', import.meta.url),
  'utf8',
)

/** The commands of the guide, in their order. */
const commands = [...guide.matchAll(/```console\n(.*?)```/gs)]
  .flatMap(([, block = '']) => block.trim().split('\n'))
  .filter((line) => line.includes('holdfast'))

describe('the guide to checking a provider', () => {
  it('has commands that lead to a report where nothing failed', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-guide-'))
    const ports = { 8090: await freePort(), 9090: await freePort() }
    const here = (command: string) =>
      command
        .replaceAll('npx holdfast', `'${process.execPath}' '${holdfastProgram}'`)
        .replaceAll('8090', String(ports[8090]))
        .replaceAll('9090', String(ports[9090]))
    const [load = '', serve = '', check = ''] = commands.map(here)
    const options = { cwd: folder, env: inherited }

    assert.equal(spawnSync(load, { ...options, shell: true, encoding: 'utf8' }).status, 0)
    const provider = spawn(`exec ${serve}`, { ...options, shell: true, stdio: 'ignore' })
    t.after(async () => {
      provider.kill()
      await once(provider, 'close')
      rmSync(folder, { recursive: true })
    })
    await listening(ports[8090])
    const run = spawn(`exec ${check} --rate 0`, { ...options, shell: true })
    const [stdout, stderr, [status]] = await Promise.all([
      text(run.stdout),
      text(run.stderr),
      once(run, 'close'),
    ])

    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /^1\d\d passed, 0 failed, \d skipped/m)
    assert.match(readFileSync(join(folder, 'report.html'), 'utf8'), /Nothing failed/)
  })

  it('shows flags that the command has', () => {
    const { stdout } = spawnSync(process.execPath, [holdfastProgram, 'check', '--help'], {
      encoding: 'utf8',
      env: inherited,
    })
    const shown = new Set(
      guide
        .match(/--[a-z][a-z-]+/g)
        ?.filter((flag) => !commands[0]?.includes(flag) && !commands[1]?.includes(flag)),
    )

    assert.ok(shown.size > 10)
    for (const flag of shown) assert.ok(stdout.includes(flag) || flag === '--help', flag)
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

const triesMax = 400

/** Resolves when somebody answers on the port. */
async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const isThere = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
    if (isThere) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.fail('the provider did not start')
}
