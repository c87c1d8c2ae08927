import { normalizer } from '../../../contract/aliases.ts'
import { recordBytesMax } from '../../../contract/limits.ts'
import { parseJson } from '../../../contract/parse-json.ts'
import { findProblems } from '../../../contract/problems.ts'
import { ProductInput } from '../../../contract/records/product.ts'
import { isObject } from '../../../contract/schema.ts'
import { labelPath } from '../../explain-problem.ts'
import { formatCount } from '../../labels.ts'

/** Larger files are loaded with `holdfast load`. */
const linesMax = 50_000
const fileBytesMax = 256 * 1024 * 1024
/** A record of the largest size may have been written with escapes and spaces. */
const lineLengthMax = 4 * recordBytesMax
const problemsMax = 5

export interface ImportLine {
  readonly number: number
  readonly name: string
  /** The id in the line. The server chooses that of a new product. */
  readonly id: string | undefined
  /** What is sent. */
  readonly product: object
}

export interface InvalidLine {
  readonly number: number
  readonly name: string
  readonly problems: readonly LineProblem[]
}

interface LineProblem {
  readonly text: string
  /** The path of the field, as the file has it. */
  readonly path?: string
}

/** The file cannot be imported at all. */
export class FileError extends Error {}

const normalize = normalizer(ProductInput)

/** Parses and validates every line, without sending anything. */
export async function readImportFile(
  file: Blob,
  signal: AbortSignal,
  onProgress: (lines: number) => void,
) {
  if (file.size > fileBytesMax) {
    throw new FileError('The file is larger than 256 MiB. Use holdfast load instead.')
  }
  const lines: ImportLine[] = []
  const invalid: InvalidLine[] = []
  const numbers = new Map<string, number>()
  let number = 0
  for await (const text of splitLines(file)) {
    signal.throwIfAborted()
    number += 1
    if (number % 500 === 0) onProgress(number)
    if (text !== undefined && text.trim() === '') continue
    if (lines.length + invalid.length >= linesMax) {
      throw new FileError(
        `The file has more than ${formatCount(linesMax)} lines. Use holdfast load instead.`,
      )
    }
    const read = readLine(number, text)
    const first = 'id' in read && read.id !== undefined ? numbers.get(read.id) : undefined
    if ('problems' in read) {
      invalid.push(read)
    } else if (first !== undefined) {
      const text = `${labelPath('product_id')} is that of line ${first}.`
      invalid.push({ number, name: read.name, problems: [{ text, path: 'product_id' }] })
    } else {
      lines.push(read)
      if (read.id !== undefined) numbers.set(read.id, number)
    }
  }
  return { lines, invalid }
}

/** Lines of UTF-8 text. A line that is too long is undefined. */
async function* splitLines(file: Blob): AsyncGenerator<string | undefined> {
  const reader = file.stream().getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let isTooLong = false
  for (;;) {
    const { value, done } = await reader.read()
    const parts = (rest + decode(decoder, value)).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      yield isTooLong || part.length > lineLengthMax ? undefined : part
      isTooLong = false
    }
    if (rest.length > lineLengthMax) {
      isTooLong = true
      rest = ''
    }
    if (done) break
  }
  if (isTooLong) yield undefined
  else if (rest !== '') yield rest
}

function decode(decoder: TextDecoder, bytes: Uint8Array | undefined): string {
  try {
    return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
  } catch {
    throw new FileError('The file is not UTF-8 text.')
  }
}

function readLine(number: number, text: string | undefined): ImportLine | InvalidLine {
  const fail = (problem: string) => ({ number, name: '', problems: [{ text: problem }] })
  if (text === undefined) return fail('The line is too long.')
  const parsed = parseJson(text)
  if (!isObject(parsed)) return fail('The line must be a JSON object.')
  if ('delete' in parsed) return fail('A line that deletes cannot be imported.')
  const isEnvelope = 'type' in parsed && 'record' in parsed
  if (isEnvelope && parsed['type'] !== 'product') return fail('The line is not a product.')
  const record = isEnvelope ? parsed['record'] : parsed
  const product = normalize(record)
  const name = isObject(record) && typeof record['name'] === 'string' ? record['name'] : ''
  // In the words of the file: it has values as they are stored, and not as a form shows them.
  const problems: LineProblem[] = findProblems(ProductInput, product, problemsMax).map(
    ({ path, reason }) => ({ text: `${labelPath(path)} ${reason}.`, path }),
  )
  if (problems.length === 0 && countBytes(product) > recordBytesMax) {
    problems.push({ text: `The product must be at most ${recordBytesMax} bytes of JSON.` })
  }
  if (problems.length > 0 || !isObject(product)) return { number, name, problems }
  const id = isObject(record) ? record['product_id'] : undefined
  return { number, name, id: typeof id === 'string' && id !== '' ? id : undefined, product }
}

function countBytes(product: unknown): number {
  return new TextEncoder().encode(JSON.stringify(product)).length
}
