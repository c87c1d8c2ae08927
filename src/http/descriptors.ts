import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { devNull } from 'node:os'
import type { RequestLogOptions } from './request-log.ts'

/** How often the shortage is logged while it lasts. */
const logIntervalMs = 60_000

/** The number of file descriptors that this process may open. Undefined without /proc. */
export function readDescriptorLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}

/** The number of open file descriptors of this process, or `limit` if not even one more could be opened to count them. */
export function countDescriptors(limit: number | undefined): number | undefined {
  try {
    // One of them is the listing itself.
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    return isShort() ? limit : undefined
  }
}

/**
 * Returns a function to be called at an interval, which logs that no file descriptor is free. Node then closes new
 * connections without an event.
 */
export function openDescriptorWatch(log: RequestLogOptions['log']): () => void {
  const limit = readDescriptorLimit()
  let loggedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (!isShort() || performance.now() - loggedAt < logIntervalMs) return
    loggedAt = performance.now()
    log?.error(
      { limit },
      'no file descriptor is free: new connections are closed. Raise the limit of open files (LimitNOFILE of the unit, or ulimit -n)',
    )
  }
}

/** Whether the limit of this process (EMFILE) or of the system (ENFILE) is reached. */
function isShort(): boolean {
  try {
    closeSync(openSync(devNull, 'r'))
    return false
  } catch (error) {
    return /^(EMFILE|ENFILE)$/.test((error as NodeJS.ErrnoException).code ?? '')
  }
}
