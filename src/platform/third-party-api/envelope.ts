import { toPascalCase } from '../../contract/openapi/value-lists.ts'
import { cdsBasePath } from '../cds/paths.ts'
import { buildSample, type Schema } from './components.ts'
import type { Content } from './operation.ts'

/** The bodies of a response, the newest version first. `list` is the field of `data` that has a page of records. */
export function describeVersions(
  id: string,
  path: string,
  [min, max]: readonly [number, number],
  describe: (version: number) => Schema,
  list?: string,
): Content {
  const record = buildSample(describe(max))
  return {
    schemas: Array.from({ length: max - min + 1 }, (_, index) => ({
      version: max - index,
      schema: describeEnvelope(id, describe(max - index), list),
    })),
    example: {
      data: list === undefined ? record : { [list]: [record] },
      links: { self: `https://platform.example${cdsBasePath}${path.replaceAll(/[{}]/g, '')}` },
      meta: list === undefined ? {} : { totalRecords: 1, totalPages: 1 },
    },
  }
}

/** The body of a response: a page of records, or one. */
function describeEnvelope(id: string, record: Schema, list?: string): Schema {
  const data: Schema =
    list === undefined
      ? record
      : {
          type: 'object',
          properties: { [list]: { type: 'array', items: record } },
          required: [list],
        }
  return {
    title: `${toPascalCase(`-${id}`)}Response`,
    description: `The response of \`${id}\`.`,
    type: 'object',
    properties: {
      data,
      links: list === undefined ? linksSchema : pageLinksSchema,
      meta: list === undefined ? metaSchema : pageMetaSchema,
    },
    required: ['data', 'links', 'meta'],
  }
}

const link = { type: 'string', format: 'uri' } as const

const linksSchema: Schema = {
  title: 'Links',
  description: 'The absolute URL of the response.',
  type: 'object',
  properties: { self: link },
  required: ['self'],
}

const pageLinksSchema: Schema = {
  title: 'LinksPaginated',
  description:
    'The absolute URLs of pages. Other pages have the same filters, with the bounds of times filled in.',
  type: 'object',
  properties: { self: link, first: link, prev: link, next: link, last: link },
  required: ['self'],
}

const metaSchema: Schema = {
  title: 'Meta',
  description: 'Has no fields.',
  type: 'object',
  additionalProperties: true,
}

const pageMetaSchema: Schema = {
  title: 'MetaPaginated',
  description: 'The size of the whole list.',
  type: 'object',
  properties: {
    totalRecords: { type: 'integer', minimum: 0 },
    totalPages: { type: 'integer', minimum: 0 },
    isQueryParamUnsupported: { type: 'boolean' },
  },
  required: ['totalRecords', 'totalPages'],
}

export const statusSchema: Schema = {
  title: 'Status',
  type: 'object',
  properties: {
    status: {
      type: 'string',
      description: 'Whether the data holder is available.',
      enum: ['OK', 'PARTIAL_FAILURE', 'UNAVAILABLE', 'SCHEDULED_OUTAGE'],
    },
    explanation: { type: 'string' },
    detectionTime: { type: 'string', format: 'date-time' },
    expectedResolutionTime: { type: 'string', format: 'date-time' },
    updateTime: { type: 'string', format: 'date-time' },
  },
  required: ['status', 'updateTime'],
}

export const outagesSchema: Schema = {
  title: 'Outages',
  type: 'object',
  properties: {
    outages: {
      type: 'array',
      items: {
        title: 'Outage',
        type: 'object',
        properties: {
          outageTime: { type: 'string', format: 'date-time' },
          duration: { type: 'string', format: 'duration' },
          isPartial: { type: 'boolean' },
          explanation: { type: 'string' },
        },
        required: ['outageTime', 'duration', 'explanation'],
      },
    },
  },
  required: ['outages'],
}
