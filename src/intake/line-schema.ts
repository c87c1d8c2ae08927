import { type LineSchema, lineSchemas, type Problem, type RecordType } from '../contract/index.ts'
import { isObject } from '../contract/schema.ts'
import { Type } from '../contract/type.ts'
import { validator } from '../contract/validate.ts'

function closed() {
  return { additionalProperties: false } as const
}

type Check = (line: unknown, problemsMax: number) => Problem[]
const checks = new Map<RecordType, { readonly put: Check; readonly remove: Check }>()

/** Validates a line except for the content of its record. */
export function validateEnvelope(
  type: RecordType,
  line: Readonly<Record<string, unknown>>,
  problemsMax: number,
): Problem[] {
  const { put, remove } = getChecks(type)
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

function getChecks(type: RecordType) {
  const known = checks.get(type)
  if (known) return known
  const { put = {}, remove = {}, key }: LineSchema = lineSchemas[type]
  const record = Type.Optional(Type.Unknown())
  const created = {
    put: validator(Type.Object({ type: Type.String(), ...put, record }, closed())).problems,
    remove: validator(
      Type.Object({ type: Type.String(), delete: Type.Object(key, closed()), ...remove }, closed()),
    ).problems,
  }
  checks.set(type, created)
  return created
}
