import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, it } from 'node:test'
import { openTown, type Town, temporaryFolder } from '../auth/processes.ts'
import { publicUrl, subdomain } from '../auth/world.ts'
import { closingTogether, describeOn } from '../support/engines.ts'
import { inherited } from '../support/environment.ts'
import { openPipe, type TestPipe } from '../support/pipe.ts'
import { childrenOf } from '../support/processes.ts'
import { holdfastProgram } from '../support/program.ts'
import { until } from './traffic.ts'

const timeout = 300_000

/** What a reader of the log may do to the process that writes it. */
const readers = {
  'is gone': (pipe: TestPipe) => pipe.closeReader(),
  'is stuck': (pipe: TestPipe) => pipe.fill(),
}

describeOn('sqlite', 'a server whose log nobody reads', { concurrency: 4, timeout }, () => {
  const closing = closingTogether({ after })
  let town: Town
  let folder: string
  before(async () => {
    town = await openTown(closing)
    folder = await temporaryFolder(closing)
  })

  const commands = (): Readonly<Record<string, readonly string[]>> => {
    const provider = [
      'serve',
      'provider',
      ...['--subdomain', subdomain, '--provider-url', publicUrl, '--jwks-url', town.keyServer.url],
    ]
    return {
      'a provider of one process': provider,
      'a provider of two workers': [...provider, '--workers', '2'],
      'a platform': ['serve', 'platform'],
      'a demo': ['demo'],
    }
  }

  /** A server that logs every request to a pipe, once it has said where it listens. */
  async function start(name: string, pipe: TestPipe, isAllInOnePipe = false) {
    const args = ['--port', '0', '--log-level', 'trace', '--database', town.database]
    const child = spawn(process.execPath, [holdfastProgram, ...(commands()[name] ?? []), ...args], {
      env: inherited,
      stdio: ['ignore', isAllInOnePipe ? pipe.writer : 'pipe', pipe.writer],
    })
    let printed = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
    })
    const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? ''
    await until(() => {
      if (isAllInOnePipe) printed += pipe.read()
      return address() !== ''
    })
    return { child, address: address() }
  }

  async function statusOf(child: ChildProcess): Promise<number | string | null> {
    const [code, signal] =
      child.exitCode === null && child.signalCode === null
        ? await once(child, 'exit')
        : [child.exitCode, child.signalCode]
    return code ?? signal
  }

  for (const name of [
    'a provider of one process',
    'a provider of two workers',
    'a platform',
    'a demo',
  ]) {
    for (const [state, act] of Object.entries(readers)) {
      it(`answers and stops with 0: ${name}, where the reader ${state}`, async (t) => {
        const pipe = openPipe(folder)
        t.after(() => pipe.close())
        const { child, address } = await start(name, pipe)
        t.after(() => child.kill('SIGKILL'))
        const ask = async () => {
          const response = await fetch(`${address}/nowhere`)
          await response.body?.cancel()
          assert.equal(response.status, 404)
        }

        for (let count = 0; count < 20; count += 1) await ask()
        act(pipe)
        // Few enough to be still waiting when the end comes.
        for (let count = 0; count < 5; count += 1) await ask()
        child.kill('SIGTERM')

        assert.equal(await statusOf(child), 0)
      })
    }
  }

  for (const [state, act] of Object.entries(readers)) {
    it(`replaces a worker that dies where the reader of both outputs ${state}`, async (t) => {
      const pipe = openPipe(folder)
      t.after(() => pipe.close())
      const { child, address } = await start('a provider of two workers', pipe, true)
      t.after(() => child.kill('SIGKILL'))
      act(pipe)

      const [victim = 0] = childrenOf(child.pid)
      process.kill(victim, 'SIGKILL')
      const workers = () => childrenOf(child.pid).filter((pid) => pid !== victim)
      await until(() => workers().length === 2)

      assert.equal((await fetch(`${address}/health/live`)).status, 200)
      child.kill('SIGTERM')
      // By the signal itself where the shared pipe blocks: Node would wait for its write for ever.
      assert.ok([0, 'SIGTERM'].includes((await statusOf(child)) ?? ''))
    })
  }
})
