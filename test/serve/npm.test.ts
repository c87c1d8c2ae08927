import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import { temporaryFolder } from '../auth/processes.ts'
import { describeOn } from '../support/engines.ts'
import { inherited } from '../support/environment.ts'
import { childrenOf } from '../support/processes.ts'
import { holdfastProgram } from '../support/program.ts'
import { until } from './traffic.ts'

/** A process and all that it has started. */
function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)]
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describeOn('sqlite', 'a server that npm has started', { concurrency: 2, timeout: 240_000 }, () => {
  for (const [name, command] of Object.entries({
    'npm exec, as npx does,': ['exec', '--offline', '--', 'holdfast', 'serve', 'platform'],
    'npm start': ['start', '--'],
  })) {
    it(`by ${name} stops when npm receives SIGTERM, with all of its workers`, async (t) => {
      const folder = await temporaryFolder(t)
      const launcher = join(folder, 'node_modules', '.bin', 'holdfast')
      mkdirSync(dirname(launcher), { recursive: true })
      writeFileSync(launcher, `#!/bin/sh\nexec "${process.execPath}" "${holdfastProgram}" "$@"\n`)
      chmodSync(launcher, 0o755)
      const scripts = { start: 'holdfast serve platform' }
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'project', scripts }))
      const flags = ['--port', '0', '--workers', '2', '--create', '--database', 'sqlite:bank.db']
      const npm = spawn('npm', [...command, ...flags], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'ignore'],
        env: {
          ...inherited,
          HOME: folder,
          PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
        },
      })
      let family: number[] = []
      t.after(() => {
        const left = [...family, ...familyOf(npm.pid ?? 0)].filter(isRunning)
        for (const pid of new Set(left)) process.kill(pid, 'SIGKILL')
      })
      let isReady = false
      createInterface({ input: npm.stdout }).on('line', (line) => {
        isReady ||= line.includes(' ready on ')
      })
      await until(() => isReady)
      family = familyOf(npm.pid ?? 0)
      // npm, the supervisor and two workers, and where it stays the shell between them.
      assert.ok(family.length >= 4)

      npm.kill('SIGTERM')
      await once(npm, 'exit')

      await until(() => !family.some(isRunning))
    })
  }
})
