import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openEnding } from '../../src/server/ending.ts'
import { openLog } from '../../src/server/observe/log.ts'
import { processTerminal } from '../../src/server/terminal.ts'
import {
  disconnectFromSupervisor,
  isSupervisor,
  reportReady,
  type SupervisionLimits,
  superviseWorkers,
} from '../../src/server/workers.ts'

/**
 * A program with two workers under the real supervisor, with the limits in its first argument. A worker responds with its process ID,
 * or blocks or exits, depending on the path of the request. At SIGALRM it has an uncaught error.
 */
const limits = JSON.parse(process.argv[2] ?? '') as SupervisionLimits

if (isSupervisor()) {
  const log = openLog('info')
  const settings = { role: 'test', workers: 2, shutdownTimeout: 1 }
  await superviseWorkers(settings, log, undefined, processTerminal(), limits)
} else {
  const actions: Readonly<Record<string, (response: ServerResponse) => void>> = {
    '/crash': () => process.exit(1),
    '/block': (response) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
      response.end('unblocked')
    },
  }
  const sendProcessId = (response: ServerResponse) => response.end(String(process.pid))
  const server = createServer(({ url = '' }, response) => (actions[url] ?? sendProcessId)(response))
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    reportReady({ readyOn: `http://127.0.0.1:${port}`, isReady: true })
  })
  process.on('SIGALRM', () => {
    throw new Error('outside the handling of a request')
  })
  const ending = openEnding(openLog('info'), 1000)
  ending.endOnUncaughtError()
  await ending.untilStopped()
  server.close(disconnectFromSupervisor)
  server.closeAllConnections()
  await ending.exitIfFailed()
}
