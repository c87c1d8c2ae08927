import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { listProcessTree, readMemory, untilExit } from '../bench/processes.ts'
import { findFreePort } from '../test/support/free-port.ts'
import { holdfastProgram, start } from '../test/support/process.ts'
import { publicUrl, subdomain } from './platform.ts'

/** A supervisor with its workers, as in production. */
export interface Server {
  readonly port: number
  start(): Promise<void>
  /** Sends SIGTERM and returns the exit status. */
  stop(): Promise<number | null>
  /** Kills the supervisor with SIGKILL; its workers exit by themselves. */
  kill(): Promise<void>
  killWorker(): Promise<void>
  /** Replaces the workers one by one, and waits for the last. */
  replaceWorkers(): Promise<void>
  /** Resident memory of each worker, in megabytes. */
  memory(): number[]
  /** The lines that the server logged as errors. */
  errors(): readonly string[]
}

const workers = 2
const replacedMessage = 'all workers were replaced'
const errorsMax = 20

export async function openServer(
  database: string,
  keysUrl: string,
  isRecording: boolean,
  environment: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const port = await findFreePort()
  const args = serveArguments(database, port, keysUrl, isRecording)
  const errors: string[] = []
  let running: ChildProcess | undefined
  let onLine: (line: string) => void = () => {}

  const workerIds = () => listProcessTree(running?.pid ?? 0).slice(1)
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const child = running as ChildProcess
    const family = workerIds()
    const ended = once(child, 'exit')
    child.kill(signal)
    const [status] = (await ended) as [number | null]
    running = undefined
    while (family.some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 10))
    return status
  }
  return {
    port,
    async start() {
      const command = [process.execPath, holdfastProgram, 'serve', 'provider', ...args]
      const child = start(untilExit, command, { environment })
      running = child
      createInterface({ input: child.stderr }).on('line', (line) => {
        onLine(line)
        const isError = !line.startsWith('{') || /"level":[56]0/.test(line)
        if (isError && errors.length < errorsMax) errors.push(line)
      })
      const lines = createInterface({ input: child.stdout })
      const ready = once(lines, 'line')
      const exited = once(child, 'exit').then(() => {
        throw new Error(`the server did not start:\n${errors.join('\n')}`)
      })
      await Promise.race([ready, exited])
      exited.catch(() => {})
    },
    stop: () => end('SIGTERM'),
    async kill() {
      await end('SIGKILL')
    },
    async killWorker() {
      const [pid = 0] = workerIds()
      process.kill(pid, 'SIGKILL')
      while (isRunning(pid) || workerIds().length < workers) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    async replaceWorkers() {
      const done = new Promise<void>((resolve, reject) => {
        onLine = (line) => {
          if (line.includes(replacedMessage)) resolve()
          if (line.includes('a new worker')) reject(new Error(line))
        }
      })
      running?.kill('SIGUSR2')
      await done
    },
    memory: () => workerIds().map((pid) => readMemory(pid).now),
    errors: () => errors,
  }
}

function serveArguments(
  database: string,
  port: number,
  keysUrl: string,
  isRecording: boolean,
): string[] {
  const flags = {
    database,
    port: String(port),
    workers: String(workers),
    subdomain,
    'provider-url': publicUrl,
    'jwks-url': keysUrl,
    'log-level': 'warn',
    records: String(isRecording),
  }
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
}

function isRunning(pid: number): boolean {
  return listProcessTree(pid).length > 0 && readMemory(pid).now > 0
}
