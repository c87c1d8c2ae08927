import assert from 'node:assert/strict'
import type { ObjectShape, WriteContext } from '../../src/contract/cds/shared/shapes.ts'
import { openRecordSchemas } from './cds-record-schemas.ts'

const findSchema = openRecordSchemas()

/** Writes a record for the newest version, unless the options say otherwise, and returns the fields with faults. */
export function write(shape: ObjectShape, record: unknown, options: Partial<WriteContext> = {}) {
  const faults: string[] = []
  const written = shape.write(record, {
    version: 9,
    timeZone: 'Australia/Sydney',
    makeId: (kind, path) => `${kind}-${path.length}`,
    report: (field) => void faults.push(field),
    ...options,
  }) as Record<string, unknown> | undefined
  return { written, faults }
}

export function assertValid(schema: string, written: object | undefined): void {
  const validate = findSchema(schema)
  if (written && !validate(written)) {
    assert.fail(`${JSON.stringify(validate.errors)} of ${JSON.stringify(written)}`)
  }
}
