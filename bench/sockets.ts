import { connect, type Socket } from 'node:net'

/** Resolves when it is connected. */
export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket))
  })
}

const headEnd = Buffer.from('\r\n\r\n')

/**
 * Parses only the head of each response on a socket: the CPU time of the load generator reduces that of the servers on
 * the same machine.
 */
export function readResponses(
  socket: Socket,
  onHead: (head: string) => void,
  onEnd: () => void,
): void {
  let partialHead: Buffer | undefined
  let missingBytes = 0
  socket.on('data', (chunk: Buffer) => {
    if (missingBytes > 0) missingBytes -= chunk.length
    else {
      const received = partialHead ? Buffer.concat([partialHead, chunk]) : chunk
      partialHead = received
      const end = received.indexOf(headEnd)
      if (end < 0) return
      const head = received.toString('latin1', 0, end)
      onHead(head)
      const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
      missingBytes = length - (received.length - end - headEnd.length)
      partialHead = undefined
    }
    if (missingBytes <= 0) onEnd()
  })
}
