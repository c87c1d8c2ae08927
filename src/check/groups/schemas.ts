import { type Operation, providerOperations } from '../../contract/index.ts'
import type { Ask, CheckContext } from '../context.ts'
import { accountsOf, customersOf } from '../customers.ts'
import { type Check, endpoint, resources } from '../definition.ts'
import { listOf, subjectsOf, wholeQuery } from '../lists.ts'
import { fail, type Passed, skip } from '../outcome.ts'
import { type Found, sentenceOfFault } from '../response-audit.ts'
import type { FaultKind } from '../response-schema.ts'
import { askFor, isRefusal, statusText } from './errors.ts'

const sentencesMax = 8

/** Asks an operation of everybody, so that there are answers to read; a skip where nobody can be asked. */
async function sample(world: CheckContext, operation: Operation): Promise<void> {
  const asks = await samplesOf(world, operation)
  if (asks.length === 0) skip('no customer has an account to ask about')
  for (const ask of asks) {
    const answer = await world.ask(operation, ask)
    // Neither body is shown by the interface, so it may be another; no account need have a contact.
    const mayRefuse = ['B6', 'C1', 'contact', 'C4'].includes(operation.ref) && isRefusal(answer)
    if (answer.isSuccess || mayRefuse) continue
    fail(`${operation.ref}: a good request got ${statusText(answer)}`, {
      expected: 'a success',
      evidence: [answer],
    })
  }
}

async function samplesOf(world: CheckContext, operation: Operation): Promise<Ask[]> {
  const list = listOf(operation)
  const subjects = list ? (await subjectsOf(world, list)).slice(0, samplesMax) : []
  if (list && subjects.length > 0) {
    return subjects.map(({ subject }) => ({ ...subject.ask, query: wholeQuery(world, list) }))
  }
  const [email = 'nobody@check.holdfast.invalid'] = world.options.emails
  if (operation.ref === 'C1') return [{ body: { email } }]
  const asks: Ask[] = []
  for (const customerId of await customersOf(world)) {
    const needsAccount = /\{(accountId|id)\}/.test(operation.path) || operation.body !== undefined
    const accounts = (await accountsOf(world, customerId)).filter(
      ({ kind }) =>
        operation.tag === 'contact' || kind === (operation.tag === 'energy' ? 'energy' : 'banking'),
    )
    if (!needsAccount) asks.push({ params: { customerId } })
    else for (const { id } of accounts) asks.push(askFor(operation, customerId, id))
  }
  return asks.slice(0, samplesMax)
}

const samplesMax = 8

/** The interface's table of what an operation answers. */
function schemaCheck(operation: Operation): Check {
  const { ref, summary } = operation
  return {
    id: `schemas.${ref}`,
    title: `${ref} answers as the interface shows it: ${summary[0]?.toLowerCase()}${summary.slice(1)}`,
    clause: endpoint(ref, `${operation.method} ${operation.path}`),
    profile: 'smoke',
    run: async (world) => {
      const here = world.operation(ref) ?? skip('it is left out on purpose')
      // Lists were read by other checks, if those were run; the rest is read here.
      if (!(listOf(here) && world.audit.read.get(ref))) await sample(world, here)
      const count = world.audit.read.get(ref) ?? 0
      if (count === 0) skip('it was never answered with a success')
      refuse(world.audit.faults('shape', ref))
      return { seen: [`${count} answers were read`, ...remarksOf(world, ref)].join('; ') }
    },
  }
}

function refuse(
  faults: readonly Found[],
  expected = 'the fields of the interface, of the types that it gives',
): void {
  if (faults.length === 0) return
  const sentences = faults.slice(0, sentencesMax).map(sentenceOfFault)
  const more = faults.length - sentences.length
  fail(sentences.join('\n') + (more > 0 ? `\nand ${more} more` : ''), {
    expected,
    evidence: [...new Set(faults.map(({ answer }) => answer))].slice(0, 2),
  })
}

const remarksMax = 4

/** What is lawful, and still not what Holdfast would have sent. */
function remarksOf(world: CheckContext, ref: string): string[] {
  const remarks = world.audit.faults('remark', ref)
  const named = remarks.slice(0, remarksMax).map(({ path, reason }) => `${path} ${reason}`)
  return remarks.length > remarksMax
    ? [...named, `and ${remarks.length - remarksMax} remarks more`]
    : named
}

/** A convention that holds in every answer. */
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
    run: async (world): Promise<Passed> => {
      if (world.audit.read.size === 0)
        for (const operation of world.operations) await sample(world, operation).catch(() => {})
      const count = [...world.audit.read.values()].reduce((sum, each) => sum + each, 0)
      if (count === 0) skip('no answer was read')
      refuse(world.audit.faults(kind), expected)
      return { seen: `${count} answers were read` }
    },
  }
}

export const schemas: readonly Check[] =
  Object.values<Operation>(providerOperations).map(schemaCheck)

export const wire: readonly Check[] = [
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
    'Times, dates and durations are written as the interface writes them',
    resources(
      'Conventions',
      'Timestamps are ISO 8601 / RFC 3339 strings. Plain dates are YYYY-MM-DD strings. Periods and frequencies are ISO 8601 durations',
    ),
    'RFC 3339 date-times, YYYY-MM-DD dates, ISO 8601 durations',
  ),
  wireCheck(
    'union',
    'unions',
    'A …UType names the sibling that is there',
    resources(
      'Conventions',
      'Fields named ...UType are discriminators: the value names which sibling object holds the payload',
    ),
    'the object that the discriminator names',
  ),
  wireCheck(
    'enumeration',
    'enumerations',
    'Closed lists of values are kept',
    resources(
      'Banking account',
      'openStatus: enum OPEN, CLOSED; productCategory: enum; isActivated is an enum (not a boolean)',
    ),
    'one of the values of the interface',
  ),
  wireCheck(
    'spelling',
    'spelling',
    'Fields are spelled as the interface spells them',
    resources(
      'Scheduled payment',
      'reccurenceUType (spelled this way) … including the accountId and payeeID fields',
    ),
    'the spelling of the interface, odd ones included',
  ),
  wireCheck(
    'repetition',
    'repeated-members',
    'No object of an answer names a member twice',
    resources(
      'Conventions',
      'Paged responses use an envelope: data (object), links (object), meta (object)',
    ),
    'each member once: readers disagree on the value of a repeated one',
  ),
  {
    id: 'wire.variants',
    title: 'users and complexAccountType are shown by E1, and not by E2',
    clause: resources('Energy account', 'complexAccountType, users: only in the GET list variant'),
    profile: 'full',
    run: async (world) => {
      const operation = world.operation('E2') ?? skip('E2 is left out on purpose')
      const list = listOf(operation)
      const [first] = list ? await subjectsOf(world, list) : []
      const { subject } = first ?? skip('no energy account was found')
      const answer = await world.ask(operation, subject.ask)
      const accounts =
        (answer.body as { data?: { accounts?: Record<string, unknown>[] } })?.data?.accounts ?? []
      const strange = ['users', 'complexAccountType'].filter((field) =>
        accounts.some((account) => field in account),
      )
      if (strange.length === 0) return {}
      return fail(`E2 shows ${strange.join(' and ')}`, {
        expected: 'neither of them',
        evidence: [answer],
      })
    },
  },
  {
    id: 'wire.content-type',
    title: 'The content type of answers is seen',
    clause: { section: 'Errors', reference: '1', quote: 'a JSON object' },
    profile: 'full',
    run: async (world) => {
      const types = [...world.audit.contentTypes.keys()]
      if (types.length === 0) skip('no answer was read')
      return {
        choice: {
          seen: types.join(', '),
          isOurs: types.every((type) => /^application\/json\b/.test(type)),
          ours: 'application/json',
          decision: '0003-error-bodies-and-interaction-id',
          evidence: [...world.audit.contentTypes.values()].slice(0, 1),
        },
      }
    },
  },
  {
    id: 'wire.interaction-id',
    title: 'Whether an x-fapi-interaction-id is echoed is seen',
    clause: { section: 'Versioning', reference: '5', quote: 'any version header: not shown' },
    profile: 'full',
    run: async (world) => {
      const [customerId] = await customersOf(world)
      const operation =
        world.operations.find(({ ref }) => ['C2', 'C3', 'B1', 'E1'].includes(ref)) ??
        skip('there is nothing to ask')
      const id = crypto.randomUUID()
      const ask = { params: { customerId: customerId ?? '' } }
      const token = world.token(world.resource(operation, ask.params))
      const answer = await world.send(operation, ask, {
        authorization: `Bearer ${token}`,
        'x-fapi-interaction-id': id,
      })
      const echoed = answer.headers['x-fapi-interaction-id']
      return {
        choice: {
          seen:
            echoed === id
              ? 'echoed'
              : echoed === undefined
                ? 'not sent back'
                : 'another one is sent back',
          isOurs: echoed === id,
          ours: 'echoed',
          decision: '0003-error-bodies-and-interaction-id',
          evidence: [answer],
        },
      }
    },
  },
]
