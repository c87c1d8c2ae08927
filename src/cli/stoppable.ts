const stopSignals = ['SIGINT', 'SIGTERM'] as const
export type StopSignal = (typeof stopSignals)[number]

/** What a shell reports for a process that the signal ended: 128 and the number of the signal. */
export const stoppedStatus = { SIGINT: 130, SIGTERM: 143 } as const satisfies Record<
  StopSignal,
  number
>

/** Runs work that a signal may stop. A second signal ends the process at once, as if nothing listened. */
export async function stoppable<Result>(
  work: (signal: AbortSignal, stoppedBy: () => StopSignal | undefined) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  let stoppedBy: StopSignal | undefined
  const stop = (signal: StopSignal): void => {
    ignore()
    stoppedBy = signal
    controller.abort()
  }
  const ignore = (): void => {
    for (const signal of stopSignals) process.off(signal, stop)
  }
  for (const signal of stopSignals) process.on(signal, stop)
  try {
    return await work(controller.signal, () => stoppedBy)
  } finally {
    ignore()
  }
}
