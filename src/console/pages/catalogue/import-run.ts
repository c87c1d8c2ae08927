import { createProduct, replaceProduct } from '../../../contract/operations/catalogue.ts'
import {
  createProductDraft,
  publishProductDraft,
  putProductDraft,
} from '../../../contract/operations/drafts.ts'
import { ApiError, call } from '../../api.ts'
import { explainSentence } from '../../explain-problem.ts'
import type { PlannedLine } from './import-plan.ts'

export type ImportMode = 'drafts' | 'publish'

export interface FailedLine extends PlannedLine {
  readonly message: string
}

/** Requests that are sent at the same time. */
const concurrency = 4
/** How often a request is sent again that the server rejected because of its load. */
const retriesMax = 5
const retryMs = 1000

/**
 * Sends each line once. `remaining` are the lines that were not sent, because the caller stopped or others would fail
 * too: it can be called again with them.
 */
export async function runImport(
  lines: readonly PlannedLine[],
  mode: ImportMode,
  signal: AbortSignal,
  onProgress: (done: number, failed: number) => void,
) {
  const failed: FailedLine[] = []
  const remaining: PlannedLine[] = []
  let next = 0
  let done = 0
  let isEnded = false
  const work = async (): Promise<void> => {
    while (next < lines.length && !signal.aborted && !isEnded) {
      const line = lines[next] as PlannedLine
      next += 1
      try {
        await sendWithRetries(line, mode, signal)
        done += 1
      } catch (error) {
        if (signal.aborted || !(error instanceof ApiError) || stopsImport(error)) {
          isEnded = true
          // Sending it again is safe: a new product has an idempotency key, an existing one the version that was read.
          remaining.push(line)
          if (!signal.aborted && !(error instanceof ApiError)) throw error
          return
        }
        const message = explainSentence(error.message)?.join(' ') ?? error.message
        failed.push({ ...line, message })
      }
      onProgress(done, failed.length)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return { done, failed, remaining: [...remaining, ...lines.slice(next)] }
}

/** The session has ended, the scope is missing, or the server cannot be reached: other lines would fail too. */
function stopsImport({ status }: ApiError): boolean {
  return status === 0 || status === 401 || status === 403
}

async function sendWithRetries(
  line: PlannedLine,
  mode: ImportMode,
  signal: AbortSignal,
): Promise<void> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await (mode === 'drafts' ? sendDraft(line) : sendProduct(line))
    } catch (error) {
      const isBusy = error instanceof ApiError && (error.status === 429 || error.status === 503)
      if (!isBusy || retries >= retriesMax || signal.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, retryMs * 2 ** retries))
    }
  }
}

async function sendDraft({ id = '', product: body, existing }: PlannedLine): Promise<void> {
  if (!existing) {
    const headers = { 'idempotency-key': createKey('draft', id, body) }
    await call(createProductDraft, { body, headers })
    return
  }
  await call(putProductDraft, {
    params: { productID: id },
    body,
    query: { 'base-version': existing.version },
    // The preview has announced that a draft is replaced. One that was saved later is not.
    headers: existing.hasDraft ? {} : { 'if-none-match': '*' },
  })
}

async function sendProduct({ id = '', product: body, existing }: PlannedLine): Promise<void> {
  const params = { productID: id }
  if (!existing) {
    const headers = { 'idempotency-key': createKey('product', id, body) }
    await call(createProduct, { body, headers })
    return
  }
  if (existing.version !== undefined) {
    const headers = { 'if-match': `"${existing.version}"` }
    await call(replaceProduct, { params, body, headers })
    return
  }
  const { etag } = await call(putProductDraft, { params, body })
  await call(publishProductDraft, { params, headers: { 'if-match': etag } })
}

/**
 * The same for the same line, so that importing a file again creates nothing twice. It need not be a cryptographic
 * hash: the server compares the content and rejects a key that was used with another.
 */
function createKey(kind: string, id: string, product: object): string {
  const text = JSON.stringify([id, product])
  return `import-${kind}-${hash(text, 0x811c9dc5)}${hash(text, 0x2166136b)}`
}

/** FNV-1a on UTF-16 code units, with a final mix. */
function hash(text: string, seed: number): string {
  let value = seed
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  return ((value ^ (value >>> 13)) >>> 0).toString(16).padStart(8, '0')
}
