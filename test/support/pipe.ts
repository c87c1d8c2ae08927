import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A pipe whose reader the test controls. */
export interface TestPipe {
  /** The file descriptor to write to. A write blocks while the pipe is full. */
  readonly writer: number
  /** Opens a file descriptor whose writes fail while the pipe is full. */
  nonBlocking(): number
  /** Fills the pipe. */
  fill(): void
  /** Reads the current content. */
  read(): string
  closeReader(): void
  close(): void
}

export function openPipe(folder: string): TestPipe {
  const path = join(folder, `pipe-${crypto.randomUUID()}`)
  execFileSync('mkfifo', [path])
  // Opened for both directions, which does not wait for a writer.
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
      for (const size of [4096, 1]) untilEagain(() => writeSync(reader, Buffer.alloc(size, 0x2e)))
    },
    read() {
      const chunks: Buffer[] = []
      untilEagain(() => {
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

function untilEagain(act: () => void): void {
  try {
    for (;;) act()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
  }
}
