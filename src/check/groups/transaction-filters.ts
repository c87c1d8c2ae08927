import { compareDecimals } from '../../contract/decimal.ts'
import { isObject } from '../../contract/schema.ts'
import { describeDifference, isDecimal } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import { type Check, endpoint } from '../definition.ts'
import type { HttpResponse } from '../http-client.ts'
import { fail, type Passed, skip } from '../outcome.ts'
import { buildUnboundedQuery, type Fields, readKeys, requireList } from '../paged-list.ts'
import { hintForParameter, resolveName } from '../parameters.ts'
import { readList, requirePage } from '../read-list.ts'
import { readWholeList } from '../subjects.ts'

const minimum = endpoint('B3', 'a minimum-amount filter (amount greater than or equal)')
const maximum = endpoint('B3', 'a maximum-amount filter (amount less than or equal)')
const substring = endpoint(
  'B3',
  'a text filter (substring match against reference or description, arbitrary ASCII string)',
)
const unsupported = endpoint(
  'B3',
  'When it is not implemented, the response is given normally without text filtering, and meta.isQueryParamUnsupported is set to true, whether or not the text parameter was supplied',
)

/** Compares a filtered list with the matching records of the whole list. Returns the number of matches. */
async function checkFiltered(
  context: CheckContext,
  filter: Readonly<Record<string, string>>,
  isMatch: (record: Fields) => boolean,
): Promise<number> {
  const list = requireList(context, 'B3')
  const { subject, whole } = await readWholeList(context, list)
  const query = Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [
      resolveName(context.options.parameters, 'B3', name),
      value,
    ]),
  )
  const found = await readList(context, subject, {
    ...buildUnboundedQuery(context, list),
    ...query,
  })
  const expected = whole.records.filter(isMatch)
  const difference = describeDifference(readKeys(list, expected), readKeys(list, found.records))
  if (difference === undefined) return expected.length
  const [first = ''] = Object.keys(filter)
  const hint = hintForParameter('B3', first)
  return fail(`B3 with ${new URLSearchParams(query)}: ${difference}`, {
    expected: `the ${expected.length} of ${whole.records.length} transactions that match, and no others`,
    evidence: found.responses.slice(0, 1),
    ...(found.records.length === whole.records.length && hint && { hint }),
  })
}

async function readTransactions(context: CheckContext): Promise<readonly Fields[]> {
  return (await readWholeList(context, requireList(context, 'B3'))).whole.records
}

/** The median amount, and those with the most digits, for which floats are the least exact. */
async function chooseAmounts(context: CheckContext): Promise<string[]> {
  const found = (await readTransactions(context))
    .map((record) => record['amount'])
    .filter(isDecimal)
  const sorted = [...new Set(found)].sort(compareDecimals)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (middle === undefined || sorted.length < 2) return skip('no account has different amounts')
  const long = sorted.toSorted((a, b) => b.length - a.length).slice(0, 2)
  return [...new Set([middle, ...long])]
}

function readAmount(record: Fields): string {
  return isDecimal(record['amount']) ? record['amount'] : '0'
}

/** Skips the check if the provider does not filter by text. */
async function requireTextFilter(context: CheckContext): Promise<void> {
  const [without, given] = await readTextFlags(context)
  if (without || given)
    skip('meta.isQueryParamUnsupported is true: the provider does not filter by text')
  if (context.options.capabilities.includes('no-text-filter'))
    skip('the text filter is left out intentionally')
}

/** meta.isQueryParamUnsupported, without the parameter and with it. */
async function readTextFlags(context: CheckContext): Promise<[boolean, boolean, HttpResponse[]]> {
  const list = requireList(context, 'B3')
  const { subject } = await readWholeList(context, list)
  const name = resolveName(context.options.parameters, 'B3', 'text')
  const responses = await context.once('text flags', async () => [
    await requirePage(context, subject, {}),
    await requirePage(context, subject, { [name]: 'a' }),
  ])
  const [without, given] = responses.map(({ body }) => {
    const meta = isObject(body) && isObject(body['meta']) ? body['meta'] : {}
    return meta['isQueryParamUnsupported'] === true
  })
  return [without ?? false, given ?? false, responses]
}

function hasText(record: Fields, text: string, fold: (text: string) => string): boolean {
  return ['description', 'reference'].some((field) => {
    const value = record[field]
    return typeof value === 'string' && fold(value).includes(fold(text))
  })
}

const foldCase = (text: string) => text.toLowerCase()
const keepCase = (text: string) => text

/** The filter may be case-sensitive or not. The filtered list must be exact for one of the two. */
async function checkText(
  context: CheckContext,
  text: string,
): Promise<'case-insensitive' | 'case-sensitive'> {
  try {
    await checkFiltered(context, { text }, (record) => hasText(record, text, foldCase))
    return 'case-insensitive'
  } catch (error) {
    const all = await readTransactions(context)
    const differs = all.some(
      (record) => hasText(record, text, foldCase) !== hasText(record, text, keepCase),
    )
    if (!differs) throw error
    await checkFiltered(context, { text }, (record) => hasText(record, text, keepCase)).catch(
      () => {
        throw error
      },
    )
    return 'case-sensitive'
  }
}

/** A part of a word in a field that some transactions contain and others do not. */
function findPart(all: readonly Fields[], field: string): string {
  for (const record of all) {
    const value = record[field]
    const word = typeof value === 'string' ? value.match(/[A-Za-z0-9]{4,}/)?.[0] : undefined
    const part = word?.slice(1, 4)
    if (part && all.some((other) => !hasText(other, part, foldCase))) return part
  }
  return skip(`no ${field} distinguishes transactions`)
}

async function checkTextIn(
  context: CheckContext,
  text: (all: readonly Fields[]) => string,
): Promise<Passed> {
  await requireTextFilter(context)
  const part = text(await readTransactions(context))
  await checkText(context, part)
  return { seen: `with ${JSON.stringify(part)}` }
}

export const transactionFilters: readonly Check[] = [
  {
    id: 'filters.amount.min',
    title: 'The minimum amount is applied and inclusive',
    clause: minimum,
    run: async (context) => {
      for (const amount of await chooseAmounts(context)) {
        await checkFiltered(
          context,
          { 'min-amount': amount },
          (record) => compareDecimals(readAmount(record), amount) >= 0,
        )
      }
      return {}
    },
  },
  {
    id: 'filters.amount.max',
    title: 'The maximum amount is applied and inclusive',
    clause: maximum,
    run: async (context) => {
      for (const amount of await chooseAmounts(context)) {
        await checkFiltered(
          context,
          { 'max-amount': amount },
          (record) => compareDecimals(readAmount(record), amount) <= 0,
        )
      }
      return {}
    },
  },
  {
    id: 'filters.amount.exact',
    title: 'Amounts of any length are compared exactly',
    clause: endpoint('B3', 'amount greater than or equal … amount less than or equal'),
    hint: 'A float has about 15 digits: compare amounts as decimals.',
    run: async (context) => {
      const chosen = await chooseAmounts(context)
      for (const amount of chosen) {
        const filter = { 'min-amount': amount, 'max-amount': amount }
        await checkFiltered(
          context,
          filter,
          (record) => compareDecimals(readAmount(record), amount) === 0,
        )
      }
      return { seen: `with ${chosen.join(', ')}` }
    },
  },
  {
    id: 'filters.amount.sign',
    title: 'The sign of amounts is respected',
    clause: endpoint(
      'B3',
      'Amount sign: negative reduces the available balance; positive increases it',
    ),
    run: async (context) => {
      const all = (await readTransactions(context)).map(readAmount)
      const isMixed =
        all.some((amount) => amount.startsWith('-')) &&
        all.some((amount) => !amount.startsWith('-'))
      if (!isMixed) skip('no account has both credits and debits')
      await checkFiltered(
        context,
        { 'min-amount': '0' },
        (record) => compareDecimals(readAmount(record), '0') >= 0,
      )
      await checkFiltered(
        context,
        { 'max-amount': '-0.01' },
        (record) => compareDecimals(readAmount(record), '-0.01') <= 0,
      )
      return {}
    },
  },
  {
    id: 'filters.text.description',
    title: 'The text filter searches descriptions',
    clause: substring,
    run: (context) => checkTextIn(context, (all) => findPart(all, 'description')),
  },
  {
    id: 'filters.text.reference',
    title: 'The text filter searches references',
    clause: substring,
    run: (context) => checkTextIn(context, (all) => findPart(all, 'reference')),
  },
  {
    id: 'filters.text.literal',
    title: 'The text filter has no wildcards',
    clause: substring,
    hint: 'In SQL, % and _ are wildcards of LIKE: escape them.',
    run: async (context) => {
      await requireTextFilter(context)
      for (const text of ['%', '_', '.*', '\\']) await checkText(context, text)
      return {}
    },
  },
  {
    id: 'filters.text.ascii',
    title: 'The text filter accepts every printable ASCII character',
    clause: substring,
    run: async (context) => {
      await requireTextFilter(context)
      const list = requireList(context, 'B3')
      const { subject } = await readWholeList(context, list)
      const text = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join(
        '',
      )
      const query = {
        [resolveName(context.options.parameters, 'B3', 'text')]: text,
        ...buildUnboundedQuery(context, list),
      }
      const response = await context.request(list.operation, { ...subject.input, query })
      if (response.isSuccess) return {}
      return fail(
        `B3 with every printable ASCII character as text returned ${response.status || 'no response'}`,
        { expected: 'a success, usually without records', evidence: [response] },
      )
    },
  },
  {
    id: 'filters.text.case',
    title: 'Whether the text filter is case-sensitive is reported',
    clause: substring,
    run: async (context) => {
      await requireTextFilter(context)
      const all = await readTransactions(context)
      const text = findPart(all, 'description')
      const swapped = text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase()
      if (swapped === text) skip('no description has letters')
      const seen = await checkText(context, swapped)
      return {
        choice: {
          seen: `${seen}, with ${JSON.stringify(swapped)}`,
          isOurs: seen === 'case-insensitive',
          ours: 'case-insensitive',
          decision: '0005-text-filter',
        },
      }
    },
  },
  {
    id: 'filters.text.unsupported',
    title: 'A provider without the text filter declares it in every response',
    clause: unsupported,
    run: async (context) => {
      const [without, given, evidence] = await readTextFlags(context)
      const isDeclared = context.options.capabilities.includes('no-text-filter')
      if (!without && !given && !isDeclared) return { seen: 'the text filter is implemented' }
      const details = {
        expected: 'meta.isQueryParamUnsupported true, with and without the text parameter',
        evidence,
      }
      if (!without || !given) {
        fail(
          `B3: meta.isQueryParamUnsupported is ${without} without the text parameter and ${given} with it`,
          details,
        )
      }
      const list = requireList(context, 'B3')
      const { subject, whole } = await readWholeList(context, list)
      const name = resolveName(context.options.parameters, 'B3', 'text')
      const found = await readList(context, subject, {
        ...buildUnboundedQuery(context, list),
        [name]: 'no such text',
      })
      if (found.records.length !== whole.records.length) {
        fail('B3: the text filter is declared unsupported, but filters records', {
          ...details,
          expected: 'the response given normally, without text filtering',
        })
      }
      return { seen: 'the text filter is not implemented, and the responses declare it' }
    },
  },
  {
    id: 'filters.transactions.combined',
    title: 'Several filters of B3 apply together',
    clause: endpoint('B3', 'a minimum-amount filter; a maximum-amount filter; a text filter'),
    run: async (context) => {
      const all = await readTransactions(context)
      const [amount = '0'] = await chooseAmounts(context)
      await requireTextFilter(context)
      const text = findPart(
        all.filter((record) => compareDecimals(readAmount(record), amount) <= 0),
        'description',
      )
      const count = await checkFiltered(
        context,
        { 'max-amount': amount, text },
        (record) =>
          compareDecimals(readAmount(record), amount) <= 0 && hasText(record, text, foldCase),
      ).catch(() =>
        checkFiltered(
          context,
          { 'max-amount': amount, text },
          (record) =>
            compareDecimals(readAmount(record), amount) <= 0 && hasText(record, text, keepCase),
        ),
      )
      return { seen: `${count} transactions with at most ${amount} and ${JSON.stringify(text)}` }
    },
  },
]
