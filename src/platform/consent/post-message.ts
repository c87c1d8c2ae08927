import { type SigningKeyStore, toPrivateJwk } from '../../auth/signing-key-store.ts'
import { openSigner } from '../../client/sign.ts'
import { readNewestKey } from './customers.ts'

interface MessageServiceOptions {
  /** Of the service of the data provider that sends messages to customers. */
  readonly url: string
  readonly subdomain: string
  readonly signingKeys: SigningKeyStore
}

export type PostMessage = (body: object, signal: AbortSignal) => Promise<number>

/**
 * Returns a function that posts a message for a customer, with a token that the receiver can verify like those for a provider.
 * It returns the status of the response. The message of an error has nothing of the body.
 */
export function createMessagePost({
  url,
  subdomain,
  signingKeys,
}: MessageServiceOptions): PostMessage {
  const [resource = ''] = url.split('?', 1)
  return async (body, signal) => {
    const key = await readNewestKey(signingKeys)
    const sign = openSigner(toPrivateJwk(key), subdomain)
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await sign(resource)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
      redirect: 'error',
      signal,
    }).catch((error: Error) => {
      const { cause = error } = error
      const { code, message } = cause as NodeJS.ErrnoException
      throw new Error(String(code ?? message))
    })
    await response.body?.cancel()
    return response.status
  }
}
