import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A real pipe whose reader does what a test wants it to do. */
export interface TestPipe {
  /** For the process that writes, as one of its descriptors. A write to it waits while there is no room. */
  readonly writer: number
  /** The same, where a write fails instead. */
  nonBlocking(): number
  /** Fills it: the next write finds no room. */
  fill(): void
  /** What is in it now. */
  read(): string
  /** Takes the reader away, for good. */
  closeReader(): void
  close(): void
}

export function openPipe(folder: string): TestPipe {
  const path = join(folder, `pipe-${crypto.randomUUID()}`)
  execFileSync('mkfifo', [path])
  // For both directions, so that opening it does not wait for another process.
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const writer = openSync(path, constants.O_WRONLY)
  const others: number[] = []
  let isReaderOpen = true
  const closeReader = () => {
    if (isReaderOpen) closeSync(reader)
    isReaderOpen = false
  }
  return {
    writer,
    nonBlocking() {
      const other = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
      others.push(other)
      return other
    },
    fill() {
      for (const size of [4096, 1]) untilBusy(() => writeSync(reader, Buffer.alloc(size, 0x2e)))
    },
    read() {
      const chunks: Buffer[] = []
      untilBusy(() => {
        const chunk = Buffer.alloc(65_536)
        chunks.push(chunk.subarray(0, readSync(reader, chunk)))
      })
      return Buffer.concat(chunks).toString()
    },
    closeReader,
    close() {
      closeReader()
      for (const each of [writer, ...others]) closeSync(each)
    },
  }
}

function untilBusy(act: () => void): void {
  try {
    for (;;) act()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
  }
}
