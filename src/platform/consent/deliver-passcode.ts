import type { PasscodeMessage } from './passcodes.ts'
import type { PostMessage } from './post-message.ts'

const timeoutMs = 10_000

export interface DeliveryOptions {
  readonly post: PostMessage
  /** The name of the data provider, for the text of the message. */
  readonly brandName: string
  /** Called if a passcode could not be delivered. The error contains neither the passcode nor the phone number. */
  readonly onError: (error: Error) => void
}

/** Returns a function that posts passcodes. It is not repeated: the customer can request another passcode. */
export function createPasscodeDelivery({
  post,
  brandName,
  onError,
}: DeliveryOptions): (message: PasscodeMessage) => void {
  const deliver = async (message: PasscodeMessage): Promise<void> => {
    const { email: _email, expires, ...rest } = message
    const body = { ...rest, expires: expires.toString(), brandName }
    const status = await post(body, AbortSignal.timeout(timeoutMs))
    if (status < 200 || status > 299)
      throw new Error(`the passcode URL responded with the status ${status}`)
  }
  return (message) => {
    deliver(message).catch((error: Error) => {
      onError(new Error(`a passcode could not be delivered: ${error.message}`))
    })
  }
}
