import type { Terminal } from '../../server/terminal.ts'

/** How often the status line of a terminal is updated. */
const updateMs = 200

/** How often a line is written without a terminal. */
const logIntervalMs = 30_000

/** A status line in a terminal, otherwise a line every 30 seconds. */
export function openProgressLine(terminal: Terminal) {
  const { isInteractive } = terminal
  let shownAt = isInteractive ? 0 : performance.now()
  let isShown = false

  return {
    /** `format` is called when it is time for an update. */
    show(format: () => string): void {
      const now = performance.now()
      if (now - shownAt < (isInteractive ? updateMs : logIntervalMs)) return
      shownAt = now
      isShown = isInteractive
      if (isInteractive) terminal.status(format())
      else terminal.error(`${format()}\n`)
    },
    clear(): void {
      if (isShown) terminal.status('')
      isShown = false
    },
  }
}
