import { write } from 'node:fs'

export interface LineWriterLimits {
  /** Lines are written together, in pieces that a pipe takes whole: those of several processes never mix. */
  readonly pieceBytesMax: number
  /** How much is gathered, and for how long, before it is written. */
  readonly gatherBytes: number
  readonly gatherMs: number
  /** How many bytes wait for a reader that does not read. Lines beyond are dropped and counted. */
  readonly waitingBytesMax: number
  /** How soon a full pipe is tried again. */
  readonly retryMs: number
}

export const lineWriterLimits: LineWriterLimits = {
  pieceBytesMax: 4096,
  gatherBytes: 3500,
  gatherMs: 200,
  waitingBytesMax: 4 * 1024 * 1024,
  retryMs: 50,
}

export interface LineWriter {
  /** Never waits. A line for which there is no room is dropped. */
  write(line: string): void
  /**
   * Writes the lines that wait, for so long at most, and no others after that. False where a write did not return within
   * twice that time: the end of the process would wait for it.
   */
  close(timeoutMs: number): Promise<boolean>
}

/**
 * Writes lines to a descriptor whose reader may be slow, stuck or gone. Every write happens outside the main thread: a pipe
 * that is full blocks the writing thread, unless another process that shares it has made it non-blocking.
 */
export function openLineWriter(
  fd: number,
  onDropped: (lines: number) => void,
  limits: LineWriterLimits = lineWriterLimits,
): LineWriter {
  const pieces: string[] = []
  let onDone = (): void => {}
  let lastPieceBytes = 0
  let waitingBytes = 0
  let dropped = 0
  let isBusy = false
  let isInFlight = false
  let isClosing = false
  let isClosed = false
  let gathering: NodeJS.Timeout | undefined

  const writeNext = (): void => {
    clearTimeout(gathering)
    gathering = undefined
    if (isBusy) return
    const piece = pieces.shift()
    isBusy = piece !== undefined
    if (piece === undefined) onDone()
    else writePiece(Buffer.from(piece))
  }

  const writePiece = (bytes: Buffer): void => {
    if (isClosed) return
    isInFlight = true
    write(fd, bytes, (error, written = 0) => {
      isInFlight = false
      if (isClosed) return onDone()
      if (error?.code === 'EAGAIN' || error?.code === 'EBUSY') {
        setTimeout(writePiece, limits.retryMs, bytes).unref()
        return
      }
      const rest = error ? Buffer.alloc(0) : bytes.subarray(written)
      waitingBytes -= bytes.length - rest.length
      if (rest.length > 0) return writePiece(rest)
      isBusy = false
      // There is no reader any more, and there will be none.
      if (error?.code === 'EPIPE') discardAll()
      else if (error) dropped += linesIn(bytes)
      else reportDropped()
      writeOrGather()
    })
  }

  const writeOrGather = (): void => {
    if (isClosing || waitingBytes >= limits.gatherBytes) writeNext()
    else if (waitingBytes > 0) gathering ??= setTimeout(writeNext, limits.gatherMs).unref()
  }

  const discardAll = (): void => {
    isClosed = true
    pieces.length = 0
    waitingBytes = 0
  }

  /** Once there is room again: before, this line would be dropped as well. */
  const reportDropped = (): void => {
    if (dropped === 0 || waitingBytes > limits.waitingBytesMax / 2) return
    const lines = dropped
    dropped = 0
    onDropped(lines)
  }

  const doneWithin = (timeoutMs: number): Promise<void> =>
    new Promise((resolve) => {
      const deadline = setTimeout(resolve, timeoutMs)
      onDone = () => {
        clearTimeout(deadline)
        resolve()
      }
    })

  return {
    write(line) {
      if (isClosed) return
      const bytes = Buffer.byteLength(line)
      if (waitingBytes + bytes > limits.waitingBytesMax) {
        dropped += 1
        return
      }
      if (pieces.length > 0 && lastPieceBytes + bytes <= limits.pieceBytesMax) {
        pieces.push(pieces.pop() + line)
        lastPieceBytes += bytes
      } else {
        pieces.push(line)
        lastPieceBytes = bytes
      }
      waitingBytes += bytes
      writeOrGather()
    },
    async close(timeoutMs) {
      isClosing = true
      const written = doneWithin(timeoutMs)
      writeNext()
      await written
      discardAll()
      if (isInFlight) await doneWithin(timeoutMs)
      return !isInFlight
    },
  }
}

function linesIn(bytes: Buffer): number {
  return bytes.reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 0)
}
