import { sendToThirdParty } from '../third-party-request.ts'

export interface FormRequest {
  readonly url: string
  readonly authorization: string
  readonly form: Readonly<Record<string, string>>
}

/** Posts a form and returns the status of the response. Its body is not read. */
export async function postForm(
  { url, authorization, form }: FormRequest,
  signal: AbortSignal,
): Promise<number> {
  const body = new URLSearchParams({ ...form }).toString()
  const headers = {
    authorization,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(body),
  }
  const response = await sendToThirdParty(url, { method: 'POST', headers, body }, signal)
  response.on('error', () => {}).destroy()
  return response.statusCode ?? 0
}
