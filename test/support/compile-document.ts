import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js'
import { scalars } from '../../src/contract/scalars.ts'

/** Compiles an OpenAPI document. References to its schemas start with `document#`. */
export function compileDocument(document: AnySchemaObject): Ajv2020 {
  const formats = {
    'date-time': scalars.dateTime.test,
    date: scalars.date.test,
    duration: scalars.duration.test,
    uri: scalars.webUri.test,
    int32: true,
    int64: true,
    'uri-reference': (text: string) => URL.canParse(text, 'https://bank.example'),
    uuid: true,
  } as const
  const schemas = [{ ...document, $id: 'document' }]
  // Most of its code runs a few times, so compiling it must be fast.
  const code = { optimize: false }
  return new Ajv2020({ strict: false, formats, schemas, code, inlineRefs: false })
}
