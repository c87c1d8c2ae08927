import { compareDecimals } from '../../contract/decimal.ts'
import { isDecimal } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import { type Check, endpoint } from '../definition.ts'
import type { HttpResponse } from '../http-client.ts'
import { fail, skip } from '../outcome.ts'
import {
  buildUnboundedQuery,
  compareRecords,
  type Fields,
  readMembers,
  requireList,
} from '../paged-list.ts'
import { hintForParameter, resolveName } from '../parameters.ts'
import { readUnbounded, requirePage } from '../read-list.ts'
import { formatStatus } from '../responses.ts'
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
  const found = await readUnbounded(context, subject, query)
  const expected = whole.records.filter(isMatch)
  const difference = compareRecords(list, expected, found.records)
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

type AmountFilter = 'min-amount' | 'max-amount'

/** Checks filters with the same amount. */
function checkAmount(
  context: CheckContext,
  amount: string,
  ...filters: readonly AmountFilter[]
): Promise<number> {
  const isMatch = (record: Fields) => {
    const comparison = compareDecimals(readAmount(record), amount)
    return filters.every((name) => (name === 'min-amount' ? comparison >= 0 : comparison <= 0))
  }
  return checkFiltered(context, Object.fromEntries(filters.map((name) => [name, amount])), isMatch)
}

function checkAmounts(...filters: readonly AmountFilter[]): Check['run'] {
  return async (context) => {
    const amounts = await chooseAmounts(context)
    for (const amount of amounts) await checkAmount(context, amount, ...filters)
    return { seen: `with ${amounts.join(', ')}` }
  }
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
    return readMembers(body, 'meta')['isQueryParamUnsupported'] === true
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

function checkTextIn(field: string): Check['run'] {
  return async (context) => {
    await requireTextFilter(context)
    const part = findPart(await readTransactions(context), field)
    await checkText(context, part)
    return { seen: `with ${JSON.stringify(part)}` }
  }
}

export const transactionFilters: readonly Check[] = [
  {
    id: 'filters.amount.min',
    title: 'The minimum amount is applied and inclusive',
    clause: minimum,
    run: checkAmounts('min-amount'),
  },
  {
    id: 'filters.amount.max',
    title: 'The maximum amount is applied and inclusive',
    clause: maximum,
    run: checkAmounts('max-amount'),
  },
  {
    id: 'filters.amount.exact',
    title: 'Amounts of any length are compared exactly',
    clause: endpoint('B3', 'amount greater than or equal … amount less than or equal'),
    hint: 'A float has about 15 digits: compare amounts as decimals.',
    run: checkAmounts('min-amount', 'max-amount'),
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
      await checkAmount(context, '0', 'min-amount')
      await checkAmount(context, '-0.01', 'max-amount')
      return {}
    },
  },
  {
    id: 'filters.text.description',
    title: 'The text filter searches descriptions',
    clause: substring,
    run: checkTextIn('description'),
  },
  {
    id: 'filters.text.reference',
    title: 'The text filter searches references',
    clause: substring,
    run: checkTextIn('reference'),
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
        `B3 with every printable ASCII character as text returned ${formatStatus(response)}`,
        { expected: 'a success, usually without records', evidence: [response] },
      )
    },
  },
  {
    id: 'filters.text.case',
    title: 'Whether the text filter is case-sensitive is reported',
    clause: substring,
    choice: { ofHoldfast: 'case-insensitive', decision: '0005-text-filter' },
    run: async (context) => {
      await requireTextFilter(context)
      const text = findPart(await readTransactions(context), 'description')
      const swapped = text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase()
      if (swapped === text) skip('no description has letters')
      const seen = await checkText(context, swapped)
      return {
        seen: `${seen}, with ${JSON.stringify(swapped)}`,
        isHoldfastChoice: seen === 'case-insensitive',
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
      const found = await readUnbounded(context, subject, { [name]: 'no such text' })
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
      const [amount = '0'] = await chooseAmounts(context)
      await requireTextFilter(context)
      const isLess = (record: Fields) => compareDecimals(readAmount(record), amount) <= 0
      const text = findPart((await readTransactions(context)).filter(isLess), 'description')
      const checkBoth = (fold: typeof foldCase) =>
        checkFiltered(
          context,
          { 'max-amount': amount, text },
          (record) => isLess(record) && hasText(record, text, fold),
        )
      const count = await checkBoth(foldCase).catch(() => checkBoth(keepCase))
      return { seen: `${count} transactions with at most ${amount} and ${JSON.stringify(text)}` }
    },
  },
]
