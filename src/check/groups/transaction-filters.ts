import { isObject } from '../../contract/schema.ts'
import { compareDecimals, differenceOf, isDecimal } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import { type Check, endpoint } from '../definition.ts'
import type { Answer } from '../http-client.ts'
import { type Fields, keyOf, pageOf, walk, wholeQuery, wholeWalk } from '../lists.ts'
import { fail, type Passed, skip } from '../outcome.ts'
import { nameHint, nameOf } from '../parameters.ts'
import { requireList } from './order.ts'

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

/** The transactions of the best account, with what a filter must leave of them. */
async function judgeLeft(
  world: CheckContext,
  filter: Readonly<Record<string, string>>,
  fits: (record: Fields) => boolean,
): Promise<number> {
  const list = requireList(world, 'B3')
  const { subject, whole } = await wholeWalk(world, list)
  const query = Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [
      nameOf(world.options.parameters, 'B3', name),
      value,
    ]),
  )
  const found = await walk(world, subject, { ...wholeQuery(world, list), ...query })
  const expected = whole.records.filter(fits)
  const difference = differenceOf(
    expected.map((record) => keyOf(list, record)),
    found.records.map((record) => keyOf(list, record)),
  )
  if (difference === undefined) return expected.length
  const [first = ''] = Object.keys(filter)
  const hint = nameHint('B3', first)
  return fail(`B3 with ${new URLSearchParams(query)}: ${difference}`, {
    expected: `the ${expected.length} of ${whole.records.length} transactions that fit, and no others`,
    evidence: found.answers.slice(0, 1),
    ...(found.records.length === whole.records.length && hint && { hint }),
  })
}

async function records(world: CheckContext): Promise<readonly Fields[]> {
  return (await wholeWalk(world, requireList(world, 'B3'))).whole.records
}

/** Amounts that tell most: the middle one, and those with the most digits, where a float goes wrong first. */
async function amounts(world: CheckContext): Promise<string[]> {
  const found = (await records(world)).map((record) => record['amount']).filter(isDecimal)
  const sorted = [...new Set(found)].sort(compareDecimals)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (middle === undefined || sorted.length < 2) return skip('no account has different amounts')
  const long = sorted.toSorted((a, b) => b.length - a.length).slice(0, 2)
  return [...new Set([middle, ...long])]
}

function amountOf(record: Fields): string {
  return isDecimal(record['amount']) ? record['amount'] : '0'
}

/** Whether the provider filters by text; a skip where it says that it does not. */
async function requireText(world: CheckContext): Promise<void> {
  const [without, given] = await textFlags(world)
  if (without || given)
    skip('the provider says in meta.isQueryParamUnsupported that it does not filter by text')
  if (world.options.capabilities.includes('no-text-filter'))
    skip('the text filter is left out on purpose')
}

/** meta.isQueryParamUnsupported, without the parameter and with it. */
async function textFlags(world: CheckContext): Promise<[boolean, boolean, Answer[]]> {
  const list = requireList(world, 'B3')
  const { subject } = await wholeWalk(world, list)
  const name = nameOf(world.options.parameters, 'B3', 'text')
  const answers = await world.once('text flags', async () => [
    await pageOf(world, subject, {}),
    await pageOf(world, subject, { [name]: 'a' }),
  ])
  const [without, given] = answers.map(({ body }) => {
    const meta = isObject(body) && isObject(body['meta']) ? body['meta'] : {}
    return meta['isQueryParamUnsupported'] === true
  })
  return [without ?? false, given ?? false, answers]
}

function holds(record: Fields, text: string, fold: (text: string) => string): boolean {
  return ['description', 'reference'].some((field) => {
    const value = record[field]
    return typeof value === 'string' && fold(value).includes(fold(text))
  })
}

const folded = (text: string) => text.toLowerCase()
const exact = (text: string) => text

/** A case that the filter may regard or not: with one of the two, what it leaves must be right. */
async function judgeText(world: CheckContext, text: string): Promise<'any case' | 'its own case'> {
  try {
    await judgeLeft(world, { text }, (record) => holds(record, text, folded))
    return 'any case'
  } catch (error) {
    const all = await records(world)
    const differs = all.some((record) => holds(record, text, folded) !== holds(record, text, exact))
    if (!differs) throw error
    await judgeLeft(world, { text }, (record) => holds(record, text, exact)).catch(() => {
      throw error
    })
    return 'its own case'
  }
}

/** A piece from the middle of a word of some field that not every transaction has. */
function pieceOf(all: readonly Fields[], field: string): string {
  for (const record of all) {
    const value = record[field]
    const word = typeof value === 'string' ? value.match(/[A-Za-z0-9]{4,}/)?.[0] : undefined
    const piece = word?.slice(1, 4)
    if (piece && all.some((other) => !holds(other, piece, folded))) return piece
  }
  return skip(`no ${field} tells transactions apart`)
}

async function textSeen(
  world: CheckContext,
  text: (all: readonly Fields[]) => string,
): Promise<Passed> {
  await requireText(world)
  const piece = text(await records(world))
  await judgeText(world, piece)
  return { seen: `with ${JSON.stringify(piece)}` }
}

export const transactionFilters: readonly Check[] = [
  {
    id: 'filters.amount.min',
    title: 'The least amount is kept, itself included',
    clause: minimum,
    profile: 'full',
    run: async (world) => {
      for (const amount of await amounts(world)) {
        await judgeLeft(
          world,
          { 'min-amount': amount },
          (record) => compareDecimals(amountOf(record), amount) >= 0,
        )
      }
      return {}
    },
  },
  {
    id: 'filters.amount.max',
    title: 'The largest amount is kept, itself included',
    clause: maximum,
    profile: 'full',
    run: async (world) => {
      for (const amount of await amounts(world)) {
        await judgeLeft(
          world,
          { 'max-amount': amount },
          (record) => compareDecimals(amountOf(record), amount) <= 0,
        )
      }
      return {}
    },
  },
  {
    id: 'filters.amount.exact',
    title: 'Amounts compare as decimals, whatever their length',
    clause: endpoint('B3', 'amount greater than or equal … amount less than or equal'),
    profile: 'full',
    hint: 'A float holds about fifteen digits: compare decimals as decimals.',
    run: async (world) => {
      const chosen = await amounts(world)
      for (const amount of chosen) {
        const filter = { 'min-amount': amount, 'max-amount': amount }
        await judgeLeft(world, filter, (record) => compareDecimals(amountOf(record), amount) === 0)
      }
      return { seen: `with ${chosen.join(', ')}` }
    },
  },
  {
    id: 'filters.amount.sign',
    title: 'Amounts are filtered with their sign',
    clause: endpoint(
      'B3',
      'Amount sign: negative reduces the available balance; positive increases it',
    ),
    profile: 'full',
    run: async (world) => {
      const all = (await records(world)).map(amountOf)
      const isMixed =
        all.some((amount) => amount.startsWith('-')) &&
        all.some((amount) => !amount.startsWith('-'))
      if (!isMixed) skip('no account has both credits and debits')
      await judgeLeft(
        world,
        { 'min-amount': '0' },
        (record) => compareDecimals(amountOf(record), '0') >= 0,
      )
      await judgeLeft(
        world,
        { 'max-amount': '-0.01' },
        (record) => compareDecimals(amountOf(record), '-0.01') <= 0,
      )
      return {}
    },
  },
  {
    id: 'filters.text.description',
    title: 'Text is looked for within descriptions',
    clause: substring,
    profile: 'full',
    run: (world) => textSeen(world, (all) => pieceOf(all, 'description')),
  },
  {
    id: 'filters.text.reference',
    title: 'Text is looked for within references',
    clause: substring,
    profile: 'full',
    run: (world) => textSeen(world, (all) => pieceOf(all, 'reference')),
  },
  {
    id: 'filters.text.literal',
    title: 'No character of the text is a wildcard',
    clause: substring,
    profile: 'full',
    hint: 'In SQL’s LIKE, % and _ stand for anything: escape them.',
    run: async (world) => {
      await requireText(world)
      for (const text of ['%', '_', '.*', '\\']) await judgeText(world, text)
      return {}
    },
  },
  {
    id: 'filters.text.ascii',
    title: 'Any ASCII text may be looked for',
    clause: substring,
    profile: 'full',
    run: async (world) => {
      await requireText(world)
      const list = requireList(world, 'B3')
      const { subject } = await wholeWalk(world, list)
      const text = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join(
        '',
      )
      const query = {
        [nameOf(world.options.parameters, 'B3', 'text')]: text,
        ...wholeQuery(world, list),
      }
      const answer = await world.ask(list.operation, { ...subject.ask, query })
      if (answer.isSuccess) return {}
      return fail(`B3 with every printable character as text answered ${answer.status}`, {
        expected: 'a success, most likely without records',
        evidence: [answer],
      })
    },
  },
  {
    id: 'filters.text.case',
    title: 'Whether the case of letters counts is seen',
    clause: substring,
    profile: 'full',
    run: async (world) => {
      await requireText(world)
      const all = await records(world)
      const text = pieceOf(all, 'description')
      const swapped = text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase()
      if (swapped === text) skip('no description has letters')
      const seen = await judgeText(world, swapped)
      return {
        choice: {
          seen: `${JSON.stringify(swapped)} is found in ${seen}`,
          isOurs: seen === 'any case',
          ours: 'the case of letters does not count',
          decision: '0005-text-filter',
        },
      }
    },
  },
  {
    id: 'filters.text.unsupported',
    title: 'A provider without the text filter says so in every answer',
    clause: unsupported,
    profile: 'full',
    run: async (world) => {
      const [without, given, evidence] = await textFlags(world)
      const isDeclared = world.options.capabilities.includes('no-text-filter')
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
      const list = requireList(world, 'B3')
      const { subject, whole } = await wholeWalk(world, list)
      const name = nameOf(world.options.parameters, 'B3', 'text')
      const found = await walk(world, subject, {
        ...wholeQuery(world, list),
        [name]: 'no such text',
      })
      if (found.records.length !== whole.records.length) {
        fail('B3: the text filter is said to be unsupported, and takes records away', {
          ...details,
          expected: 'the response given normally, without text filtering',
        })
      }
      return { seen: 'the text filter is not implemented, and the answers say so' }
    },
  },
  {
    id: 'filters.transactions.combined',
    title: 'Filters of B3 that are given together all count',
    clause: endpoint('B3', 'a minimum-amount filter; a maximum-amount filter; a text filter'),
    profile: 'full',
    run: async (world) => {
      const all = await records(world)
      const [amount = '0'] = await amounts(world)
      await requireText(world)
      const text = pieceOf(
        all.filter((record) => compareDecimals(amountOf(record), amount) <= 0),
        'description',
      )
      const count = await judgeLeft(
        world,
        { 'max-amount': amount, text },
        (record) => compareDecimals(amountOf(record), amount) <= 0 && holds(record, text, folded),
      ).catch(() =>
        judgeLeft(
          world,
          { 'max-amount': amount, text },
          (record) => compareDecimals(amountOf(record), amount) <= 0 && holds(record, text, exact),
        ),
      )
      return { seen: `${count} transactions with at most ${amount} and ${JSON.stringify(text)}` }
    },
  },
]
