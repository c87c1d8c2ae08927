import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { makeRecord } from '../consent/disclose.ts'
import { openRecords } from '../consent/stored-records.ts'
import { openDeployment } from '../support/deployment.ts'
import { describeOn, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runInProcess } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { openRecordCommands, type Side } from './recording.ts'

/** A process that records answers. */
interface Recording {
  answer(): Promise<void>
  /** Ends it, and returns its log. */
  end(): Promise<string>
}

interface Recorded {
  readonly database: string
  start(database: string): Promise<Recording>
}

const sides: Readonly<Record<Side, (t: Scope) => Promise<Recorded>>> = {
  async provider(t) {
    const { database } = await openDeployment(t)
    return {
      database,
      async start(database) {
        const { startProvider, ask } = await openDeployment(t, database)
        const server = await startProvider({ records: 'true', database })
        return {
          async answer() {
            assert.equal((await ask(server, accountsPath)).status, 200)
          },
          async end() {
            await server.stop()
            return server.stderr()
          },
        }
      },
    }
  },
  async platform(t) {
    const { database } = await openRecords(t)
    return {
      database,
      async start(database) {
        const { open, heads } = await openRecords(t, database)
        const recorder = open()
        return {
          answer: () => recorder.record(makeRecord()),
          async end() {
            await recorder.close()
            const lines = heads.map(({ number: block, ...head }) =>
              JSON.stringify({ statement: '', block, ...head }),
            )
            return lines.join('\n')
          },
        }
      },
    }
  },
}

describeOn('sqlite', 'the records of a restored backup', () => {
  for (const [side, open] of Object.entries(sides) as [Side, (typeof sides)[Side]][]) {
    it(`verify for a ${side}, and its log names what is missing since the backup`, async (t) => {
      const { database, start } = await open(t)
      const folder = await temporaryFolder(t)
      const backup = join(folder, 'bank.db')
      const [before, after] = [join(folder, 'before.log'), join(folder, 'after.log')]
      const first = await start(database)
      await first.answer()
      const { status, stderr } = await runInProcess(['backup', backup, '--database', database])
      assert.equal(status, 0, stderr)
      await first.answer()
      await first.answer()
      writeFileSync(before, await first.end())

      const restored = `sqlite:${backup}`
      const next = await start(restored)
      await next.answer()
      writeFileSync(after, await next.end())

      const { run } = openRecordCommands(restored, side)
      const plain = await run('verify')
      assert.equal(plain.status, 0, plain.stdout)
      assert.match(
        plain.stdout,
        /^verified 2 records in 3 blocks of 2 chains\nchain \S+ has no end/,
      )
      const named = await run('verify', '--heads', before)
      assert.equal(named.status, 1)
      assert.match(named.stdout, /^chain \S+, block \d+: it is missing$/m)
      const since = await run('verify', '--heads', after)
      assert.equal(since.status, 0, since.stdout)
    })
  }
})
