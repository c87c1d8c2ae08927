export interface ObjectScan {
  /** Continues with the next bytes of the text. */
  read(bytes: Uint8Array): void
  /** Whether the text so far is an object that is closed, with nothing but white space around it. */
  isComplete(): boolean
}

/** Deeper objects count as incomplete: to parse them takes too much time and memory. */
const depthMax = 1000

const whitespace: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'))
const [quote, backslash, objectStart, objectEnd, arrayStart, arrayEnd] = Buffer.from('"\\{}[]')

/**
 * Finds the end of a JSON object in text that is received in parts. To parse the text at its end would block the process,
 * and need many times its memory. The text between the brackets is not validated.
 */
export function openObjectScan(): ObjectScan {
  let state: 'before' | 'within' | 'string' | 'escape' | 'after' | 'invalid' = 'before'
  let depth = 0

  const open = (): void => {
    depth += 1
    state = depth > depthMax ? 'invalid' : 'within'
  }
  const close = (byte: number): void => {
    depth -= 1
    if (depth === 0) state = byte === objectEnd ? 'after' : 'invalid'
  }
  const readByte = (byte: number): void => {
    if (state === 'string') {
      if (byte === quote) state = 'within'
      else if (byte === backslash) state = 'escape'
    } else if (state === 'escape') {
      state = 'string'
    } else if (state === 'within') {
      if (byte === quote) state = 'string'
      else if (byte === objectStart || byte === arrayStart) open()
      else if (byte === objectEnd || byte === arrayEnd) close(byte)
    } else if (!whitespace.has(byte)) {
      if (state === 'before' && byte === objectStart) open()
      else state = 'invalid'
    }
  }

  return {
    read(bytes) {
      for (const byte of bytes) readByte(byte)
    },
    isComplete: () => state === 'after',
  }
}
