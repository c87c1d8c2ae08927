import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createScope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findFreePort } from '../support/free-port.ts'
import { holdfastProgram, run, runInProcess, startListening } from '../support/process.ts'

const guide = readFileSync(
  new URL('../../docs/guides/test-your-provider.md', import.meta.url),
  'utf8',
)

/** The commands of the guide, in order. */
const commands = [...guide.matchAll(/```console\n(.*?)```/gs)]
  .flatMap(([, block = '']) => block.trim().split('\n'))
  .filter((line) => line.includes('holdfast'))

describe('the guide to checking a provider', () => {
  it('has commands that produce reports without failures', async (t) => {
    const scope = createScope(t)
    const folder = await temporaryFolder(scope)
    const ports = { 8090: await findFreePort(), 9090: await findFreePort() }
    const here = (command: string) =>
      command
        .replaceAll('npx holdfast', `'${process.execPath}' '${holdfastProgram}'`)
        .replaceAll('8090', String(ports[8090]))
        .replaceAll('9090', String(ports[9090]))
    const [load = '', serve = '', check = '', restrict = '', checkRefusals = ''] =
      commands.map(here)
    const [, restrictions = ''] = /```json\n(.*?)```/s.exec(guide) ?? []
    writeFileSync(join(folder, 'restrictions.ndjson'), restrictions)
    const shell = (command: string) => ['sh', '-c', `exec ${command}`]

    assert.equal((await run(shell(load), { cwd: folder })).status, 0)
    await startListening(scope, shell(serve), { cwd: folder })
    const { status, stdout, stderr } = await run(shell(`${check} --rate 0`), { cwd: folder })

    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /^1\d\d passed, 0 failed, \d+ skipped/m)
    assert.match(readFileSync(join(folder, 'report.html'), 'utf8'), /No check failed/)

    assert.equal((await run(shell(restrict), { cwd: folder })).status, 0)
    const refusals = await run(shell(`${checkRefusals} --rate 0`), { cwd: folder })
    assert.match(refusals.stdout, /^1\d passed, 0 failed, 0 skipped/m)
  })

  it('mentions only flags that the command has', async () => {
    const { stdout } = await runInProcess(['check', '--help'])
    const shown = new Set(
      guide
        .match(/--[a-z][a-z-]+/g)
        ?.filter((flag) => !commands[0]?.includes(flag) && !commands[1]?.includes(flag)),
    )

    assert.ok(shown.size > 10)
    for (const flag of shown) assert.ok(stdout.includes(flag) || flag === '--help', flag)
  })
})
