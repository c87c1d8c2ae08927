/** Of a message: its type code, and its length, which includes itself. */
const headBytes = 5

/** The largest message of PostgreSQL, and more: a longer one is not from a PostgreSQL server. */
const messageBytesMax = 2 ** 30

/** The server does not use the protocol of PostgreSQL. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

/**
 * Splits what a connection receives into whole messages. A message that arrives in parts is collected in a buffer of its
 * own length: the driver's parser would double its buffer for every few parts, and reuse it, so that values must be
 * copied. Throws a `ProtocolError` if the length of a message is invalid.
 */
export function createMessageReader(
  onMessages: (bytes: Buffer) => void,
): (received: Buffer) => void {
  let head: Buffer | undefined
  let partial: Buffer | undefined
  let filled = 0

  return (received) => {
    let rest = head ? Buffer.concat([head, received]) : received
    head = undefined
    if (partial) {
      const copied = rest.copy(partial, filled)
      filled += copied
      if (filled < partial.length) return
      const whole = partial
      partial = undefined
      onMessages(whole)
      rest = rest.subarray(copied)
    }
    const end = findEnd(rest)
    if (end > 0) onMessages(rest.subarray(0, end))
    if (rest.length - end >= headBytes) {
      partial = Buffer.allocUnsafe(messageLength(rest, end))
      filled = rest.copy(partial, 0, end)
    } else if (rest.length > end) head = rest.subarray(end)
  }
}

/** Where the last whole message ends. */
function findEnd(bytes: Buffer): number {
  let end = 0
  while (bytes.length - end >= headBytes) {
    const next = end + messageLength(bytes, end)
    if (next > bytes.length) break
    end = next
  }
  return end
}

function messageLength(bytes: Buffer, start: number): number {
  const length = 1 + bytes.readUInt32BE(start + 1)
  if (length < headBytes || length > messageBytesMax) {
    throw new ProtocolError(`a message of ${length} bytes`)
  }
  return length
}
