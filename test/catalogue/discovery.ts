import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { dateTime, duration, listOf, object, oneOf, text } from '../support/cds-schema-types.ts'
import type { Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Answer, type Headers, send } from '../support/http.ts'

export const statusPath = '/cds-au/v1/discovery/status'
export const outagesPath = '/cds-au/v1/discovery/outages'
export const discoveryVersion = { 'x-v': '1' }

/** Written by hand from the field tables of the Consumer Data Standards. */
const ajv = new Ajv2020({
  strict: false,
  formats: {
    'date-time': (value: string) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(value) &&
      !Number.isNaN(Date.parse(value)),
  },
})
const links = object({ self: { type: 'string', pattern: '^https?://[^?]+$' } })
const respondsWith = (data: object) =>
  ajv.compile(object({ data: { ...data }, links }, { meta: { type: 'object' } }))

const isFailure = {
  if: { properties: { status: oneOf('PARTIAL_FAILURE UNAVAILABLE') } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['detectionTime'] },
  else: { properties: { detectionTime: false } },
}
const isOk = {
  if: { properties: { status: oneOf('OK') } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { expectedResolutionTime: false } },
  else: { properties: { explanation: { minLength: 1 } }, required: ['explanation'] },
}
const statusSchema = respondsWith(
  object(
    {
      status: oneOf('OK PARTIAL_FAILURE UNAVAILABLE SCHEDULED_OUTAGE'),
      updateTime: dateTime,
    },
    { explanation: text, detectionTime: dateTime, expectedResolutionTime: dateTime },
    isFailure,
    isOk,
  ),
)
const outagesSchema = respondsWith(
  object({
    outages: listOf(
      object(
        { outageTime: dateTime, duration, explanation: { type: 'string', minLength: 1 } },
        { isPartial: { type: 'boolean' } },
      ),
    ),
  }),
)

/** Sends a request to a platform, in this process or another. Each on a new connection, which any worker may get. */
export function ask(
  { port }: { readonly port: number },
  path: string,
  headers: Headers = discoveryVersion,
): Promise<Answer> {
  return send(port, path, { headers: { connection: 'close', ...headers } })
}

export async function readStatus(platform: { readonly port: number }) {
  return readData(await ask(platform, statusPath), statusSchema)
}

export async function readOutages(platform: { readonly port: number }) {
  return readData(await ask(platform, outagesPath), outagesSchema).outages
}

function readData(answer: Answer, validate: ValidateFunction) {
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers['x-v'], '1')
  const { data } = answer.body
  assert.ok(validate(answer.body), `${answer.text} ${JSON.stringify(validate.errors)}`)
  return data
}

/** A file of planned outages, which can be replaced. */
export async function openOutagesFile(scope: Scope, outages: unknown) {
  const file = join(await temporaryFolder(scope), 'outages.json')
  const write = (list: unknown) => writeFileSync(file, JSON.stringify({ outages: list }))
  write(outages)
  return { file, write, writeText: (content: string | Buffer) => writeFileSync(file, content) }
}
