const stopSignals = ['SIGINT', 'SIGTERM'] as const

type Exit = (status: number) => void

/** Resolves at the first stop signal. A second one ends the process immediately. */
export function untilStopSignal(exit: Exit): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false
    for (const signal of stopSignals) {
      process.on(signal, () => {
        if (isStopping) exit(1)
        isStopping = true
        resolve()
      })
    }
  })
}

/** How long closing the databases may take after the last request. */
const closeMs = 1000

/** Bounds the shutdown: ends the process even if a database, a connection or a pipe is still open. */
export function exitAfter(shutdownMs: number, exit: () => void): void {
  setTimeout(exit, shutdownMs + closeMs).unref()
}

/**
 * In a worker: resolves when the supervisor sends SIGTERM. The supervisor kills a worker that takes too long. A terminal or a service
 * manager may signal all processes at once: repeated signals are ignored, and Ctrl-C is handled by the supervisor.
 */
export function untilStoppedBySupervisor(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => {})
    process.on('SIGTERM', () => resolve())
  })
}

/** How often a process that npm started checks whether its parent is still running. */
const parentCheckMs = 500

/**
 * Stops the process when the shell in which npm or npx runs it has ended. They forward signals to that shell only, which does not
 * forward them.
 */
export function stopWithParent(): void {
  if (process.env['npm_command'] === undefined) return
  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(check)
    process.kill(process.pid, 'SIGTERM')
  }, parentCheckMs)
  check.unref()
}

export type StopSignal = (typeof stopSignals)[number]

/** The exit status that a shell reports for a process that the signal ended: 128 plus the number of the signal. */
export const signalStatus = { SIGINT: 130, SIGTERM: 143 } as const satisfies Record<
  StopSignal,
  number
>

export interface Stopping {
  readonly signal: AbortSignal
  /** The signal that was received, if any. */
  readonly stoppedBy: () => StopSignal | undefined
}

/** How long a command may take after a stop signal, even if a database or a disk does not respond. */
const stopMs = 60_000

/**
 * Runs `work` with an abort signal that the first stop signal triggers. The process ends when a second one arrives, or
 * when the work takes too long to stop.
 */
export async function abortOnSignal<Result>(
  work: (abort: AbortSignal, stoppedBy: () => StopSignal | undefined) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  let stoppedBy: StopSignal | undefined
  let timer: NodeJS.Timeout | undefined
  const stop = (signal: StopSignal): void => {
    removeListeners()
    stoppedBy = signal
    timer = setTimeout(() => process.exit(signalStatus[signal]), stopMs)
    controller.abort()
  }
  const removeListeners = (): void => {
    for (const signal of stopSignals) process.off(signal, stop)
  }
  for (const signal of stopSignals) process.on(signal, stop)
  try {
    return await work(controller.signal, () => stoppedBy)
  } finally {
    removeListeners()
    clearTimeout(timer)
  }
}

/** Aborts a while after another signal. */
export function abortLater(signal: AbortSignal, delayMs: number): AbortSignal {
  const controller = new AbortController()
  const onAbort = () => void setTimeout(() => controller.abort(), delayMs).unref()
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  return controller.signal
}
