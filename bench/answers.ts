import type { Socket } from 'node:net'

const headEnd = Buffer.from('\r\n\r\n')

/**
 * Reads the answers on a socket, of which it looks only at the head: whatever it used itself would be missing to the
 * servers beside it. The head is told when it is there, and the end of the answer when it is.
 */
export function readAnswers(
  socket: Socket,
  began: (head: string) => void,
  ended: () => void,
): void {
  let begun: Buffer | undefined
  let missing = 0
  socket.on('data', (chunk: Buffer) => {
    if (missing > 0) missing -= chunk.length
    else {
      const seen = begun ? Buffer.concat([begun, chunk]) : chunk
      begun = seen
      const end = seen.indexOf(headEnd)
      if (end < 0) return
      const head = seen.toString('latin1', 0, end)
      began(head)
      const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
      missing = length - (seen.length - end - headEnd.length)
      begun = undefined
    }
    if (missing <= 0) ended()
  })
}
