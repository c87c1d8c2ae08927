import { signal } from '@preact/signals'
import { type ErrorCode, errorTable } from '../../../contract/errors.ts'
import type { ExplorerResult } from '../../../contract/index.ts'
import { callProvider as operation } from '../../../contract/operations/explorer.ts'
import { parseJson } from '../../../contract/parse-json.ts'
import { ApiError, findErrorText, read } from '../../api.ts'
import type { Answer, CallInput, ProviderOperationId } from './call-input.ts'

/** A call that was sent to the provider, with its response. */
export interface MadeCall {
  readonly number: number
  readonly input: CallInput
  readonly result: ExplorerResult
}

/** How many calls the list keeps. Their responses stay in memory. */
const callsMax = 20

/** The latest calls, newest first. */
export const calls = signal<readonly MadeCall[]>([])
let count = 0

/** Sends a call and adds it to the list, whatever the status of the response is. */
export async function sendCall(input: CallInput, signal?: AbortSignal): Promise<ExplorerResult> {
  const result = await read(operation, { body: input, signal })
  count += 1
  calls.value = [{ number: count, input, result }, ...calls.value].slice(0, callsMax)
  return result
}

/** The body of a successful response; undefined if it is empty. Throws the error of the provider otherwise. */
export async function callProvider<Id extends ProviderOperationId>(
  input: CallInput<Id>,
  signal?: AbortSignal,
): Promise<Answer<Id>> {
  const { response } = await sendCall(input, signal)
  const { status, headers, body } = response
  const id = headers.find(({ name }) => name === 'x-fapi-interaction-id')?.value
  const content = parseJson(body)
  if (content === undefined && body !== '') {
    const message = `The provider responded with ${status} and text that is not JSON.`
    throw new ApiError(status, message, id)
  }
  if (status >= 200 && status < 300) return content as Answer<Id>
  const text = findErrorText(content) ?? 'an error without a text'
  throw new ApiError(status, `The provider responded with ${status}: ${text}`, id, content)
}

/** Undefined if the provider responds with this error, by its text: several errors have the same status. */
export async function unlessMissing<Value>(
  code: ErrorCode,
  answer: Promise<Value>,
): Promise<Value | undefined> {
  return answer.catch((error: unknown) => {
    const text = error instanceof ApiError ? findErrorText(error.body) : undefined
    if (text === errorTable[code].message) return undefined
    throw error
  })
}
