import { locateAccounts, type Operation, providerOperations } from '../../contract/index.ts'
import type { CheckContext, RequestInput } from '../context.ts'
import { type Check, endpoint, extension, resources } from '../definition.ts'
import { fail, type Passed, skip } from '../outcome.ts'
import { buildUnboundedQuery, readRecords, requireList, toPagedList } from '../paged-list.ts'
import { findInputs, requireOperation } from '../requests.ts'
import { type Found, formatFault } from '../response-audit.ts'
import type { FaultKind } from '../response-schema.ts'
import { formatStatus, isMissingRecord, isRejection } from '../responses.ts'
import { findSample } from '../sample-request.ts'
import { findSubjects } from '../subjects.ts'

const sentencesMax = 8

/** Sends requests to an operation, so that the audit has responses. Skips the check if there is no data for it. */
async function sample(context: CheckContext, operation: Operation): Promise<void> {
  const inputs = await buildSamples(context, operation)
  if (inputs.length === 0) skip('no customer has an account for it')
  for (const input of inputs) {
    const response = await context.request(operation, input)
    if (response.isSuccess || isMissingRecord(response)) continue
    if (mayReject(operation) && isRejection(response)) continue
    fail(`${operation.ref}: a valid request returned ${formatStatus(response)}`, {
      expected: 'a success',
      evidence: [response],
    })
  }
}

/** The interface does not define the bodies of B6 and C1. An account need not have a single record, such as a contact. */
function mayReject(operation: Operation): boolean {
  const isSingleRecord = locateAccounts(operation) === 'path' && !toPagedList(operation)
  return isSingleRecord || ['B6', 'C1'].includes(operation.ref)
}

async function buildSamples(context: CheckContext, operation: Operation): Promise<RequestInput[]> {
  const list = toPagedList(operation)
  const subjects = list ? (await findSubjects(context, list)).slice(0, samplesMax) : []
  if (list && subjects.length > 0) {
    return subjects.map(({ subject }) => ({
      ...subject.input,
      query: buildUnboundedQuery(context, list),
    }))
  }
  return (await findInputs(context, operation)).slice(0, samplesMax)
}

const samplesMax = 8

/** A check of the response schema of an operation. */
function schemaCheck(operation: Operation): Check {
  const { isExtension, ref, summary } = operation
  return {
    id: `schemas.${ref}`,
    title: `The response of ${ref} has the fields and types of the interface (${summary})`,
    clause: (isExtension ? extension : endpoint)(ref, `${operation.method} ${operation.path}`),
    profile: 'smoke',
    run: async (context) => {
      const implemented = requireOperation(context, ref)
      // Other checks have usually read the lists already.
      if (!(toPagedList(implemented) && context.audit.read.get(ref))) {
        await sample(context, implemented)
      }
      const count = context.audit.read.get(ref) ?? 0
      if (count === 0) skip('no request succeeded')
      failOnFaults(context.audit.faults('shape', ref))
      return { seen: [`${count} responses were checked`, ...listRemarks(context, ref)].join('; ') }
    },
  }
}

function failOnFaults(
  faults: readonly Found[],
  expected = 'the fields and types of the interface',
): void {
  if (faults.length === 0) return
  const sentences = faults.slice(0, sentencesMax).map(formatFault)
  const more = faults.length - sentences.length
  fail(sentences.join('\n') + (more > 0 ? `\nand ${more} more` : ''), {
    expected,
    evidence: [...new Set(faults.map(({ response }) => response))].slice(0, 2),
  })
}

const remarksMax = 4

/** What is valid, but differs from the responses of Holdfast. */
function listRemarks(context: CheckContext, ref: string): string[] {
  const remarks = context.audit.faults('remark', ref)
  const named = remarks.slice(0, remarksMax).map(({ path, reason }) => `${path} ${reason}`)
  return remarks.length > remarksMax
    ? [...named, `and ${remarks.length - remarksMax} more remarks`]
    : named
}

/** A check of a convention for every response. */
function wireCheck(
  kind: FaultKind,
  id: string,
  title: string,
  clause: Check['clause'],
  expected: string,
): Check {
  return {
    id: `wire.${id}`,
    title,
    clause,
    profile: 'smoke',
    run: async (context): Promise<Passed> => {
      if (context.audit.read.size === 0)
        for (const operation of context.operations) await sample(context, operation).catch(() => {})
      const count = [...context.audit.read.values()].reduce((sum, each) => sum + each, 0)
      if (count === 0) skip('no request succeeded')
      failOnFaults(context.audit.faults(kind), expected)
      return { seen: `${count} responses were checked` }
    },
  }
}

export const schemas: readonly Check[] =
  Object.values<Operation>(providerOperations).map(schemaCheck)

export const wireFormat: readonly Check[] = [
  wireCheck(
    'number',
    'numbers',
    'Amounts are strings, rates and account numbers are numbers',
    resources(
      'Conventions',
      'Money amounts are usually JSON strings holding a decimal. Rates in account records are JSON numbers',
    ),
    'a string where the interface has a string, a number where it has a number',
  ),
  wireCheck(
    'time',
    'times',
    'Times, dates and durations have the formats of the interface',
    resources(
      'Conventions',
      'Timestamps are ISO 8601 / RFC 3339 strings. Plain dates are YYYY-MM-DD strings. Periods and frequencies are ISO 8601 durations',
    ),
    'RFC 3339 date-times, YYYY-MM-DD dates, ISO 8601 durations',
  ),
  wireCheck(
    'union',
    'unions',
    'A …UType field names an existing sibling',
    resources(
      'Conventions',
      'Fields named ...UType are discriminators: the value names which sibling object holds the payload',
    ),
    'the object that the discriminator names',
  ),
  wireCheck(
    'enumeration',
    'enumerations',
    'Closed enumerations have no other values',
    resources(
      'Banking account',
      'openStatus: enum OPEN, CLOSED; productCategory: enum; isActivated is an enum (not a boolean)',
    ),
    'one of the values of the interface',
  ),
  wireCheck(
    'spelling',
    'spelling',
    'Fields have the spelling of the interface',
    resources(
      'Scheduled payment',
      'reccurenceUType (spelled this way) … including the accountId and payeeID fields',
    ),
    'the spelling of the interface, even if it is unusual',
  ),
  wireCheck(
    'repetition',
    'repeated-members',
    'No object in a response has a repeated member',
    resources(
      'Conventions',
      'Paged responses use an envelope: data (object), links (object), meta (object)',
    ),
    'each member once: parsers disagree on the value of a repeated one',
  ),
  {
    id: 'wire.variants',
    title: 'E2 returns neither users nor complexAccountType',
    clause: resources('Energy account', 'complexAccountType, users: only in the GET list variant'),
    run: async (context) => {
      const list = requireList(context, 'E2')
      const [first] = await findSubjects(context, list)
      const { subject } = first ?? skip('no energy account was found')
      const response = await context.request(list.operation, subject.input)
      const accounts = readRecords(list, response)
      const unexpected = ['users', 'complexAccountType'].filter((field) =>
        accounts.some((account) => field in account),
      )
      if (unexpected.length === 0) return {}
      return fail(`E2 returns ${unexpected.join(' and ')}`, {
        expected: 'neither of them',
        evidence: [response],
      })
    },
  },
  {
    id: 'wire.content-type',
    title: 'The content type of responses is reported',
    clause: { section: 'Errors', reference: '1', quote: 'a JSON object' },
    choice: { ofHoldfast: 'application/json', decision: '0003-error-bodies-and-interaction-id' },
    run: async ({ audit }) => {
      const types = [...audit.contentTypes.keys()]
      if (types.length === 0) skip('no request succeeded')
      return {
        seen: types.join(', '),
        isHoldfastChoice: types.every((type) => /^application\/json\b/.test(type)),
        evidence: [...audit.contentTypes.values()].slice(0, 1),
      }
    },
  },
  {
    id: 'wire.interaction-id',
    title: 'Whether x-fapi-interaction-id is echoed is reported',
    clause: { section: 'Versioning', reference: '5', quote: 'any version header: not shown' },
    choice: { ofHoldfast: 'echoed', decision: '0003-error-bodies-and-interaction-id' },
    run: async (context) => {
      const { operation, input } = await findSample(context)
      const id = crypto.randomUUID()
      const headers = {
        ...context.authorize(operation, input.params),
        'x-fapi-interaction-id': id,
      }
      const response = await context.send(operation, input, headers)
      const returned = response.headers['x-fapi-interaction-id']
      const other = returned === undefined ? 'not returned' : 'another id is returned'
      return {
        seen: returned === id ? 'echoed' : other,
        isHoldfastChoice: returned === id,
        evidence: [response],
      }
    },
  },
]
