import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { readBytes } from '../contract/read-bytes.ts'

interface DownloadOptions {
  readonly accept: string
  readonly bytesMax: number
}

const jsonOptions: DownloadOptions = { accept: 'application/json', bytesMax: 256 * 1024 }

/** Downloads a text, by default JSON. A redirect is an error. `fetch` would load Undici, which takes 70 ms in every process. */
export async function download(
  url: string,
  signal: AbortSignal,
  { accept, bytesMax }: DownloadOptions = jsonOptions,
): Promise<string> {
  const readText = async (body: AsyncIterable<Uint8Array>) => {
    const bytes = await readBytes(body, bytesMax)
    if (!bytes) throw new Error('too large')
    return Buffer.from(bytes.buffer).toString()
  }
  try {
    const response = await request(url, accept, signal)
    const { statusCode = 0, headers } = response
    if (statusCode < 200 || statusCode > 299) {
      // An unread body would keep the connection open.
      response.destroy()
      throw new Error(`status ${statusCode}`)
    }
    if (headers['content-encoding'] !== 'gzip') return await pipeline(response, readText)
    const { createGunzip } = process.getBuiltinModule('node:zlib')
    return await pipeline(response, createGunzip(), readText)
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  }
}

async function request(url: string, accept: string, signal: AbortSignal): Promise<IncomingMessage> {
  const { get } =
    new URL(url).protocol === 'https:'
      ? process.getBuiltinModule('node:https')
      : process.getBuiltinModule('node:http')
  const headers = {
    accept,
    'accept-encoding': 'identity',
    // A kept connection could be closed by the server while the next request is sent.
    connection: 'close',
    'user-agent': 'holdfast',
  }
  try {
    const [response] = await once(get(url, { headers, signal }), 'response')
    return response
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`fetch failed: ${code ?? message}`, { cause: error })
  }
}
