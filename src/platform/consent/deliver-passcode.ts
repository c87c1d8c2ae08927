import { type SigningKeyStore, toPrivateJwk } from '../../auth/signing-key-store.ts'
import { openSigner } from '../../client/sign.ts'
import { readNewestKey } from './customers.ts'
import type { PasscodeMessage } from './passcodes.ts'

const timeoutMs = 10_000

export interface DeliveryOptions {
  readonly url: string
  readonly subdomain: string
  readonly signingKeys: SigningKeyStore
  /** The name of the data provider, for the text of the message. */
  readonly brandName: string
  /** Called if a passcode could not be delivered. The error contains neither the passcode nor the phone number. */
  readonly onError: (error: Error) => void
}

/**
 * Returns a function that posts passcodes to a URL, with a token that the receiver can verify like those for a provider.
 * It is not repeated: the customer can request another passcode.
 */
export function createPasscodeDelivery(
  options: DeliveryOptions,
): (message: PasscodeMessage) => void {
  const { url, subdomain, signingKeys, brandName, onError } = options
  const post = async ({ email: _email, expires, ...message }: PasscodeMessage): Promise<void> => {
    const key = await readNewestKey(signingKeys)
    const sign = openSigner(toPrivateJwk(key), subdomain)
    const [resource = ''] = url.split('?', 1)
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await sign(resource)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ ...message, expires: expires.toString(), brandName }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    if (!response.ok)
      throw new Error(`the passcode URL responded with the status ${response.status}`)
  }
  return (message) => {
    post(message).catch((error: Error) => {
      const { cause = error } = error as { readonly cause?: unknown }
      const { code, message: reason } = cause as NodeJS.ErrnoException
      onError(new Error(`a passcode could not be delivered: ${code ?? reason}`))
    })
  }
}
