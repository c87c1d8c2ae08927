import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, it } from 'node:test'
import { type Deployment, openDeployment } from '../support/deployment.ts'
import { createScope, describeOn, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openPipe, type TestPipe } from '../support/pipe.ts'
import { listChildren, type Process, startHoldfast } from '../support/process.ts'
import { publicUrl, subdomain } from '../support/tokens.ts'
import { until } from '../support/until.ts'

/** States of the reader that must not affect the process that writes the log. */
const readers = {
  'is gone': (pipe: TestPipe) => pipe.closeReader(),
  'is blocked': (pipe: TestPipe) => pipe.fill(),
}

describeOn('sqlite', 'a server whose log is not read', { concurrency: 4 }, () => {
  const closing = createScope({ after })
  let deployment: Deployment
  let folder: string
  before(async () => {
    deployment = await openDeployment(closing)
    folder = await temporaryFolder(closing)
  })

  const commands = (): Readonly<Record<string, readonly string[]>> => {
    const provider = [
      'serve',
      'provider',
      ...[
        '--subdomain',
        subdomain,
        '--provider-url',
        publicUrl,
        '--jwks-url',
        deployment.keyServer.url,
      ],
    ]
    return {
      'a provider of one process': provider,
      'a provider of two workers': [...provider, '--workers', '2'],
      'a platform': ['serve', 'platform'],
      'a demo': ['demo'],
    }
  }

  /** Starts a server that logs every request to a pipe, and waits until it has printed its address. */
  async function start(scope: Scope, name: string, pipe: TestPipe, sharesPipe = false) {
    const args = ['--port', '0', '--log-level', 'trace', '--database', deployment.database]
    const child = startHoldfast(scope, [...(commands()[name] ?? []), ...args], {
      stderr: pipe.writer,
      ...(sharesPipe && { stdout: pipe.writer }),
    })
    let printed = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
    })
    // The log may contain other URLs before the server is ready.
    const address = () => /(?:ready on|^provider) +(http:\S+:\d+)/m.exec(printed)?.[1] ?? ''
    await until(() => {
      if (sharesPipe) printed += pipe.read()
      return address() !== ''
    })
    return { child, address: address() }
  }

  async function exitStatus(child: Process): Promise<number | string | null> {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    return child.exitCode ?? child.signalCode
  }

  for (const [name, state] of [
    ['a provider of one process', 'is blocked'],
    ['a provider of two workers', 'is gone'],
    ['a platform', 'is gone'],
    ['a demo', 'is blocked'],
  ] as const) {
    it(`serves requests and exits with 0: ${name}, when the reader ${state}`, async (t) => {
      const pipe = openPipe(folder)
      t.after(() => pipe.close())
      const { child, address } = await start(t, name, pipe)
      const sendRequest = async () => {
        const response = await fetch(`${address}/nowhere`)
        await response.body?.cancel()
        assert.equal(response.status, 404)
      }

      for (let count = 0; count < 20; count += 1) await sendRequest()
      readers[state](pipe)
      // Few enough to be still buffered at the shutdown.
      for (let count = 0; count < 5; count += 1) await sendRequest()
      child.kill('SIGTERM')

      assert.equal(await exitStatus(child), 0)
    })
  }

  for (const [state, act] of Object.entries(readers)) {
    it(`replaces a killed worker when the reader of both outputs ${state}`, async (t) => {
      const pipe = openPipe(folder)
      t.after(() => pipe.close())
      const { child, address } = await start(t, 'a provider of two workers', pipe, true)
      act(pipe)

      const [killed = 0] = listChildren(child.pid)
      process.kill(killed, 'SIGKILL')
      const workers = () => listChildren(child.pid).filter((pid) => pid !== killed)
      await until(() => workers().length === 2)

      assert.equal((await fetch(`${address}/health/live`)).status, 200)
      child.kill('SIGTERM')
      // By the signal if the shared pipe blocks, because Node would wait for its write forever.
      assert.ok([0, 'SIGTERM'].includes((await exitStatus(child)) ?? ''))
    })
  }
})
