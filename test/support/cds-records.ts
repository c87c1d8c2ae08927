import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
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

interface Described {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Described>>
  readonly required?: readonly string[]
  readonly items?: Described
}

/** Asserts that a described schema has no field that the standards do not have, and requires those that they require. */
export function assertDescribes(described: Described, schema: string): void {
  const compare = (own: Described, standard: Described, path: string): void => {
    if (standard.$ref) {
      compare(own, findSchema(standard.$ref).schema as Described, path)
      return
    }
    if (own.items) compare(own.items, standard.items ?? assert.fail(path), path)
    for (const field of standard.required ?? []) {
      assert.ok(own.required?.includes(field), `${path}.${field} is required`)
    }
    for (const [field, type] of Object.entries(own.properties ?? {})) {
      const place = `${path}.${field}`
      compare(type, standard.properties?.[field] ?? assert.fail(`${place} does not exist`), place)
    }
  }
  compare(described, { $ref: schema }, schema)
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })

/** Asserts that what was written has the schema that is described. */
export function openDescription(shape: ObjectShape, version: number) {
  const validate = ajv.compile(shape.describe(version))
  return (written: object | undefined): void => {
    if (written && !validate(written)) assert.fail(JSON.stringify([validate.errors, written]))
  }
}
