import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { HttpLimits } from './limits.ts'

/**
 * A response that is sent immediately and ends when the client has sent the rest of its body. Closing a connection
 * while the client is still sending resets it, and many clients then never read the response.
 */
export function respondThenDrain(
  request: IncomingMessage,
  text: string,
  limits: HttpLimits,
): Readable {
  return Readable.from(
    (async function* () {
      yield Buffer.from(text)
      await drain(request, limits)
    })(),
  )
}

function drain(request: IncomingMessage, { drainBytesMax, drainMs }: HttpLimits): Promise<void> {
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
