import cluster from 'node:cluster'
import type { Log } from './observe/log.ts'
import { exitAfter, untilStoppedBySupervisor, untilStopSignal } from './signals.ts'
import { requestReplacement } from './workers.ts'

/** How long in-flight requests may take to complete after an uncaught error. */
const failedShutdownMs = 5000

/**
 * When and how the process of a server ends. A stop signal ends it with status 0. An uncaught exception or unhandled rejection ends
 * it with 1, because its state is unknown: a worker continues until its replacement is ready, and every process completes its
 * in-flight requests. A second uncaught error ends it immediately.
 */
export function openEnding({ log, exit }: Log, shutdownTimeoutMs: number) {
  const failed = Promise.withResolvers<void>()
  let hasFailed = false
  /** How long in-flight requests may take to complete. */
  const shutdownMs = (): number =>
    hasFailed ? Math.min(failedShutdownMs, shutdownTimeoutMs) : shutdownTimeoutMs
  return {
    /** Resolves when the process is to stop accepting connections. */
    async untilStopped(): Promise<void> {
      if (cluster.isWorker) await untilStoppedBySupervisor()
      else await Promise.race([untilStopSignal(exit), failed.promise])
      exitAfter(shutdownMs(), () => exit(hasFailed ? 1 : 0))
    },
    shutdownMs,
    /** From now on, an uncaught error ends the process. Before, the server does not listen, and Node prints the error in full. */
    endOnUncaughtError(): void {
      process.on('uncaughtException', (error) => {
        log.error({ err: error }, 'uncaught error')
        if (hasFailed) return void exit(1)
        hasFailed = true
        requestReplacement()
        failed.resolve()
      })
    },
    /** To be called when everything is closed. */
    async exitIfFailed(): Promise<void> {
      if (hasFailed) await exit(1)
    },
  }
}
