import { createReadStream } from 'node:fs'
import { decodeUtf8, parseJson } from '../../../contract/parse-json.ts'
import { readBytes } from '../../../contract/read-bytes.ts'
import { isObject } from '../../../contract/schema.ts'
import { CommandError } from '../../../server/terminal.ts'
import { systemReason } from '../../../storage/system-reason.ts'
import type { HolderProduct } from './holder-product.ts'

const fileBytesMax = 64 * 1024 * 1024

/** Products in a file: a response of Get Product Detail or its `data`, an array of them, or one on each line. */
export async function* readDetailFile(name: string): AsyncGenerator<HolderProduct> {
  const text = await readText(name)
  const whole = parseJson(text)
  if (Array.isArray(whole)) {
    for (const [index, element] of whole.entries()) yield toFound(element, `element ${index + 1}`)
  } else if (whole !== undefined) {
    yield toFound(whole, name)
  } else {
    yield* readLines(text, name)
  }
}

function* readLines(text: string, name: string): Generator<HolderProduct> {
  const lines = text
    .split('\n')
    .map((line, index) => ({ line, label: `line ${index + 1}` }))
    .filter(({ line }) => line.trim() !== '')
  if (parseJson(lines[0]?.line ?? '') === undefined) {
    throw new CommandError(1, `${name} is neither JSON nor a JSON object on each line`)
  }
  for (const { line, label } of lines) {
    const value = parseJson(line)
    yield value === undefined ? { label, failure: 'is not JSON' } : toFound(value, label)
  }
}

function toFound(value: unknown, label: string): HolderProduct {
  const detail = isObject(value) && 'data' in value ? value['data'] : value
  if (isObject(detail) && Array.isArray(detail['products'])) {
    const failure =
      'is a list of products, which has no fees and rates: save the detail of each product'
    return { label, failure }
  }
  const id = isObject(detail) ? detail['productId'] : undefined
  return { label: typeof id === 'string' && id !== '' ? id : label, detail }
}

async function readText(name: string): Promise<string> {
  const source = name === '-' ? process.stdin : createReadStream(name)
  const bytes = await readBytes(source, fileBytesMax).catch((error: NodeJS.ErrnoException) => {
    const reason = systemReason(error.code)
    throw new CommandError(1, `${name} cannot be read: ${reason}`, { cause: error })
  })
  if (!bytes) throw new CommandError(1, `${name} is larger than ${fileBytesMax} bytes`)
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new CommandError(1, `${name} is not UTF-8`)
  return text
}
