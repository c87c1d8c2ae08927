import { parseJson } from '../contract/parse-json.ts'
import { isObject } from '../contract/schema.ts'
import { type ByteSource, readLines } from './lines.ts'
import type { Row, RowChunk, RowSource } from './rows.ts'
import type { ReadOptions, TextLine } from './source.ts'

/** A source of any JSON objects, one per line. */
export function createNdjsonRows(source: ByteSource): RowSource {
  return { isRepeatable: true, ...source, read: (options) => readRows(source, options) }
}

async function* readRows(source: ByteSource, options?: ReadOptions): AsyncGenerator<RowChunk> {
  for await (const { bytes, lines } of readLines(source, options)) {
    yield { bytes, rows: lines.map(toRow) }
  }
}

function toRow({ line, text, problems = [], raw }: TextLine): Row {
  const copied = raw && { raw }
  const values = text === undefined ? undefined : parseJson(text)
  if (isObject(values)) return { line, values, ...copied }
  const reasons = text === undefined ? problems : [{ path: '', reason: 'must be a JSON object' }]
  return { line, problems: reasons, ...copied }
}
