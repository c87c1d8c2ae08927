import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { it } from 'node:test'
import { sampleValue, scrape } from '../observe/scrape.ts'
import { createScope, describeOnce, newDatabase, type Scope } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { holdfastProgram, type LogLine, type Server, startListening } from '../support/process.ts'
import { until } from '../support/until.ts'

const lowLimit = /^the limit of open files is lower /
const shortage = /^no file descriptor is free: /

/** A platform in a process with this limit of open files. */
async function startPlatform(
  scope: Scope,
  limit: number,
  ...flags: readonly string[]
): Promise<Server> {
  const database = await newDatabase(scope)
  const serve = ['serve', 'platform', '--database', database, '--port', '0', ...flags]
  const shell = ['sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh']
  return startListening(scope, [...shell, process.execPath, holdfastProgram, ...serve], {
    ...(flags.includes('--metrics-port') && { ready: /metrics on .*\n/ }),
  })
}

function findLines({ log }: Server, message: RegExp): LogLine[] {
  return log().filter(({ msg }) => message.test(String(msg)))
}

/** More than the limit of any number of workers in these tests. */
const connectionsMax = 250

/**
 * Opens connections that send nothing, until the condition is true. Returns a function that closes them. All are opened at
 * once: the server closes a connection that sends nothing for a while, so that a slow machine would never have enough.
 */
async function connectUntil({ port }: Server, isTrue: () => boolean): Promise<() => void> {
  const sockets = new Set<Socket>()
  await until(() => {
    while (sockets.size < connectionsMax) {
      const socket = connect(port, '127.0.0.1')
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    return isTrue()
  })
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

describeOnce('a server whose limit of open files is too low', () => {
  it('warns of it at the start with the number that it needs, and not with that limit', async (t) => {
    const scope = createScope(t)
    const low = await startPlatform(scope, 100)
    await until(() => findLines(low, lowLimit).length > 0, low.stderr)
    const [{ level, limit, needed } = {}] = findLines(low, lowLimit)

    const fitting = await startPlatform(scope, Number(needed))
    await fitting.stop()

    assert.deepEqual([level, limit], [40, 100])
    assert.deepEqual(findLines(fitting, lowLimit), [])
  })

  it('warns of it once with several workers', async (t) => {
    const scope = createScope(t)
    const server = await startPlatform(scope, 100, '--workers', '2')
    await server.stop()

    assert.equal(findLines(server, lowLimit).length, 1, server.stderr())
  })

  for (const workers of [1, 2]) {
    it(`logs that it closes connections, and serves again when descriptors are free: ${workers} workers`, async (t) => {
      const scope = createScope(t)
      const flags = ['--workers', String(workers), '--metrics-port', '0']
      const server = await startPlatform(scope, 100, ...flags)
      const linesByWorker = () => Map.groupBy(findLines(server, shortage), ({ worker }) => worker)

      const disconnect = await connectUntil(server, () => linesByWorker().size === workers)
      disconnect()
      for (let request = 0; request < workers * 2; request += 1) {
        await until(async () => {
          const answer = await send(server.port, '/health/live').catch(() => undefined)
          return answer?.status === 200
        })
      }

      for (const lines of linesByWorker().values()) {
        const [{ level, limit } = {}] = lines
        assert.deepEqual([level, limit], [50, 100])
        const minutes = lines.map(({ time }) => Math.round(Number(time) / 60_000))
        assert.equal(new Set(minutes).size, lines.length, 'at most once per minute')
      }
      const samples = await scrape(server)
      assert.equal(sampleValue(samples, 'process_max_fds'), 100)
      const open = sampleValue(samples, 'process_open_fds')
      assert.ok(open !== undefined && open > 10 && open < 100, String(open))
    })
  }
})
