import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { it } from 'node:test'
import { createScope, describeOn } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { holdfastProgram, listChildren, sendSignal, startListening } from '../support/process.ts'
import { until } from '../support/until.ts'

/** A process and its descendants. */
function listProcessTree(pid: number): number[] {
  return [pid, ...listChildren(pid).flatMap(listProcessTree)]
}

describeOn('sqlite', 'a server that npm started', { concurrency: 2 }, () => {
  for (const [name, command] of Object.entries({
    'npm exec, like npx,': ['exec', '--offline', '--', 'holdfast', 'serve', 'platform'],
    'npm start': ['start', '--'],
  })) {
    it(`by ${name} stops when npm receives SIGTERM, with all of its workers`, async (t) => {
      const scope = createScope(t)
      const folder = await temporaryFolder(scope)
      const launcher = join(folder, 'node_modules', '.bin', 'holdfast')
      mkdirSync(dirname(launcher), { recursive: true })
      writeFileSync(launcher, `#!/bin/sh\nexec "${process.execPath}" "${holdfastProgram}" "$@"\n`)
      chmodSync(launcher, 0o755)
      const scripts = { start: 'holdfast serve platform' }
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'project', scripts }))
      const flags = ['--port', '0', '--workers', '2', '--create', '--database', 'sqlite:bank.db']
      const npm = await startListening(scope, ['npm', ...command, ...flags], {
        cwd: folder,
        environment: {
          HOME: folder,
          PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
        },
      })
      const processes = listProcessTree(npm.pid)
      scope.after(async () => {
        for (const pid of processes) sendSignal(pid, 'SIGKILL')
      })
      // npm, the supervisor and two workers, and on some systems a shell between them.
      assert.ok(processes.length >= 4)

      await npm.stop()

      await until(() => !processes.some((pid) => sendSignal(pid, 0)))
    })
  }
})
