import { write } from 'node:fs'

interface LineWriterLimits {
  /** Lines are written in chunks that a pipe accepts atomically, so that lines of several processes never mix. */
  readonly chunkBytesMax: number
  /** How many bytes are buffered, and for how long, before they are written. */
  readonly flushBytes: number
  readonly flushMs: number
  /** How many bytes are buffered while the reader does not read. Further lines are dropped and counted. */
  readonly pendingBytesMax: number
  /** The delay before a full pipe is tried again. */
  readonly retryMs: number
}

export const lineWriterLimits: LineWriterLimits = {
  chunkBytesMax: 4096,
  flushBytes: 3500,
  flushMs: 200,
  pendingBytesMax: 4 * 1024 * 1024,
  retryMs: 50,
}

interface LineWriter {
  /** Never blocks. A line that exceeds the buffer is dropped. */
  write(line: string): void
  /**
   * Writes the buffered lines within the timeout and discards the rest. Resolves to false if a write did not return
   * within twice the timeout: the exit of the process would block on it.
   */
  close(timeoutMs: number): Promise<boolean>
}

/** Writes lines to a descriptor whose reader may be slow, blocked or gone. */
export function openLineWriter(
  fd: number,
  onDropped: (lines: number) => void,
  limits: LineWriterLimits = lineWriterLimits,
): LineWriter {
  const queue = openChunkQueue(limits)
  const output = openOutput(fd, limits.retryMs)
  const done = openSignal()
  let dropped = 0
  let isBusy = false
  let isClosing = false
  let flushTimer: NodeJS.Timeout | undefined

  const writeNext = (): void => {
    clearTimeout(flushTimer)
    flushTimer = undefined
    if (isBusy) return
    const chunk = queue.shift()
    isBusy = chunk !== undefined
    if (chunk === undefined) {
      done.notify()
      return
    }
    const bytes = Buffer.from(chunk)
    output.write(bytes, (error, unwritten) => {
      isBusy = false
      queue.release(bytes.length)
      // The reader closed the pipe: no later write can succeed.
      if (error?.code === 'EPIPE') discard()
      else if (error) dropped += countLines(unwritten)
      else reportDropped()
      writeOrWait()
    })
  }

  const writeOrWait = (): void => {
    if (isClosing || queue.pendingBytes() >= limits.flushBytes) writeNext()
    else if (queue.pendingBytes() > 0) flushTimer ??= setTimeout(writeNext, limits.flushMs).unref()
  }

  const discard = (): void => {
    output.cancel(done.notify)
    queue.clear()
  }

  /** Only once the buffer has room: before, the report itself would be dropped. */
  const reportDropped = (): void => {
    if (dropped === 0 || queue.pendingBytes() > limits.pendingBytesMax / 2) return
    const lines = dropped
    dropped = 0
    onDropped(lines)
  }

  return {
    write(line) {
      if (output.isCancelled()) return
      if (queue.add(line)) writeOrWait()
      else dropped += 1
    },
    async close(timeoutMs) {
      isClosing = true
      const written = done.within(timeoutMs)
      writeNext()
      await written
      discard()
      if (output.isWriting()) await done.within(timeoutMs)
      return !output.isWriting()
    },
  }
}

/** Resolves at the next notification, or after the timeout. */
function openSignal() {
  let listener = (): void => {}
  return {
    notify: () => listener(),
    within: (timeoutMs: number): Promise<void> =>
      new Promise((resolve) => {
        const deadline = setTimeout(resolve, timeoutMs)
        listener = () => {
          clearTimeout(deadline)
          resolve()
        }
      }),
  }
}

/** Groups lines into chunks. Bytes are pending until they are released, which is after they are written. */
function openChunkQueue({ chunkBytesMax, pendingBytesMax }: LineWriterLimits) {
  const chunks: string[] = []
  let lastChunkBytes = 0
  let pendingBytes = 0
  return {
    pendingBytes: () => pendingBytes,
    /** Returns false if there is no room for the line. */
    add(line: string): boolean {
      const bytes = Buffer.byteLength(line)
      if (pendingBytes + bytes > pendingBytesMax) return false
      if (chunks.length > 0 && lastChunkBytes + bytes <= chunkBytesMax) {
        chunks.push(chunks.pop() + line)
        lastChunkBytes += bytes
      } else {
        chunks.push(line)
        lastChunkBytes = bytes
      }
      pendingBytes += bytes
      return true
    },
    shift: () => chunks.shift(),
    release(bytes: number): void {
      pendingBytes -= bytes
    },
    clear(): void {
      chunks.length = 0
      pendingBytes = 0
    },
  }
}

type OnWritten = (error: NodeJS.ErrnoException | null, unwritten: Buffer) => void

/**
 * Writes outside the main thread: a write to a full pipe blocks its thread, unless another process that shares the pipe
 * has made it non-blocking.
 */
function openOutput(fd: number, retryMs: number) {
  let isWriting = false
  let onCancelled: (() => void) | undefined

  const writeAll = (bytes: Buffer, onWritten: OnWritten): void => {
    if (onCancelled) return
    isWriting = true
    write(fd, bytes, (error, written = 0) => {
      isWriting = false
      if (onCancelled) return onCancelled()
      if (error?.code === 'EAGAIN' || error?.code === 'EBUSY') {
        setTimeout(writeAll, retryMs, bytes, onWritten).unref()
      } else if (!error && written < bytes.length) writeAll(bytes.subarray(written), onWritten)
      else onWritten(error, bytes)
    })
  }

  return {
    write: writeAll,
    isWriting: () => isWriting,
    isCancelled: () => onCancelled !== undefined,
    /** Ends all writing. The listener is called when a write that has started returns. */
    cancel(listener: () => void): void {
      onCancelled = listener
    },
  }
}

function countLines(bytes: Buffer): number {
  return bytes.reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 0)
}
