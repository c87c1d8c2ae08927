import { parseJson } from '../../contract/parse-json.ts'
import { isObject } from '../../contract/schema.ts'

/**
 * The JSON of the field that an error names, which is a field of the record or of the envelope. Undefined if the line
 * does not have it.
 */
export function findValue(line: string, path: string): string | undefined {
  if (path === '') return JSON.stringify(line)
  const envelope = parseJson(line)
  if (!isObject(envelope)) return undefined
  const names = path.split(/\.|\[(\d+)\]\.?/).filter(Boolean)
  const value = follow(envelope['record'], names) ?? follow(envelope, names)
  return value === undefined ? undefined : JSON.stringify(value)
}

function follow(from: unknown, names: readonly string[]): unknown {
  let value = from
  for (const name of names) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
