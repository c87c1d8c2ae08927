import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { HttpLimits } from './limits.ts'

/**
 * An answer that is sent at once, and ends when the client has sent the rest of its body. A connection that is
 * closed while a client still sends is reset, and many clients then never read the answer.
 */
export function respondThenDrain(
  request: IncomingMessage,
  text: string,
  limits: Pick<HttpLimits, 'drainBytesMax' | 'drainMs'>,
): Readable {
  return Readable.from(
    (async function* () {
      yield Buffer.from(text)
      await drained(request, limits)
    })(),
  )
}

function drained(
  request: IncomingMessage,
  { drainBytesMax, drainMs }: Pick<HttpLimits, 'drainBytesMax' | 'drainMs'>,
): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let bytes = 0
    const timer = setTimeout(resolve, drainMs)
    const finish = () => {
      clearTimeout(timer)
      resolve()
    }
    request.once('close', finish)
    request.once('end', finish)
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > drainBytesMax) finish()
    })
    request.resume()
  })
}
