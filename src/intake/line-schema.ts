import { type LineSchema, lineSchemas, type Problem, type RecordType } from '../contract/index.ts'
import { record } from '../contract/record.ts'
import { isObject } from '../contract/schema.ts'
import { Type } from '../contract/type.ts'
import { validator } from '../contract/validate.ts'

const closed = { additionalProperties: false } as const

/** Validates a line except for the content of its record. */
export function validateEnvelope(
  type: RecordType,
  line: Readonly<Record<string, unknown>>,
  problemsMax: number,
): Problem[] {
  const { put, remove } = checks.getOrInsertComputed(type, createChecks)
  if ('delete' in line) return [...remove(line, problemsMax), ...missingKey(type, line['delete'])]
  const isRecordOptional = type === 'account.contact' && line['status'] === 'RESTRICTED'
  const missing =
    'record' in line || isRecordOptional ? [] : [{ path: 'record', reason: 'is required' }]
  return [...missing, ...put(line, problemsMax)]
}

/** A record without a key field is identified by `id` or `record`; one of them is required. */
function missingKey(type: RecordType, key: unknown): Problem[] {
  if (!('record' in lineSchemas[type].key) || !isObject(key) || 'id' in key || 'record' in key) {
    return []
  }
  return [{ path: 'delete.id', reason: 'is required, or the record itself as delete.record' }]
}

const checks = new Map<RecordType, ReturnType<typeof createChecks>>()

function createChecks(type: RecordType) {
  const { put = {}, remove = {}, key, keyRules = [] }: LineSchema = lineSchemas[type]
  const putFields = { type: Type.String(), ...put, record: Type.Optional(Type.Unknown()) }
  const keyObject = record('Key', { required: key, rules: keyRules })
  const removeFields = { type: Type.String(), delete: keyObject, ...remove }
  return {
    put: validator(Type.Object(putFields, closed)).problems,
    remove: validator(Type.Object(removeFields, closed)).problems,
  }
}
