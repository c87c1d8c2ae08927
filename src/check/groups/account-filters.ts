import { differenceOf } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import { type Check, conventions } from '../definition.ts'
import {
  accountOf,
  accountRecords,
  type Fields,
  keyOf,
  listsOf,
  type PagedList,
  type Subject,
  subjectsOf,
  walk,
  wholeQuery,
} from '../lists.ts'
import { fail, judgeEach, type Passed, skip } from '../outcome.ts'

type Filter = Readonly<Record<string, string>>

const matching = 'Only accounts whose state matches the filters are returned'

/** Whether an account fits a filter; undefined where it does not show what the filter asks about. */
function fits(account: Fields, filter: Filter): boolean | undefined {
  const fields = {
    'open-status': 'openStatus',
    'product-category': 'productCategory',
    'is-owned': 'isOwned',
  }
  let isSure = true
  for (const [parameter, value] of Object.entries(filter)) {
    const shown = account[fields[parameter as keyof typeof fields]]
    if (shown === undefined) isSure = false
    else if (String(shown) !== value) return false
  }
  return isSure ? true : undefined
}

/** What a filtered walk must show, and what it may: records of accounts that do not say stand between. */
interface Expected {
  readonly subject: Subject
  readonly filter: Filter
  readonly must: readonly string[]
  readonly may: readonly string[]
}

/** The first list on which a filter takes something away and leaves something. */
async function contrasted(
  world: CheckContext,
  list: PagedList,
  filters: (accounts: readonly Fields[]) => readonly Filter[],
): Promise<Expected[]> {
  for (const { subject } of await subjectsOf(world, list)) {
    const accounts = await accountRecords(world, subject)
    const { records, isWhole } = await walk(world, subject, wholeQuery(world, list))
    if (!isWhole) continue
    const expected = filters([...accounts.values()]).map((filter) => {
      const judged = records.map((record) => ({
        key: keyOf(list, record),
        fit: fits(accounts.get(String(accountOf(list, record))) ?? {}, filter),
      }))
      return {
        subject,
        filter,
        must: judged.filter(({ fit }) => fit === true).map(({ key }) => key),
        may: judged.filter(({ fit }) => fit !== false).map(({ key }) => key),
      }
    })
    const telling = expected.filter(
      ({ must, may }) => must.length > 0 && may.length < records.length,
    )
    if (telling.length > 0) return telling
  }
  return skip('no list has both records that fit and records that do not')
}

async function judgeFilter(
  world: CheckContext,
  parameters: readonly string[],
  filters: (accounts: readonly Fields[]) => readonly Filter[],
): Promise<Passed> {
  const lists = listsOf(world).filter(({ operation }) =>
    parameters.every((parameter) => parameter in (operation.query.properties as object)),
  )
  return judgeEach(
    lists,
    ({ ref }) => ref,
    async (list) => {
      for (const { subject, filter, must, may } of await contrasted(world, list, filters)) {
        const found = await walk(world, subject, { ...wholeQuery(world, list), ...filter })
        const keys = found.records.map((record) => keyOf(list, record))
        const surplus = keys.filter((key) => !may.includes(key))
        const difference =
          surplus.length > 0 || must.some((key) => !keys.includes(key))
            ? differenceOf(must, keys)
            : undefined
        if (difference === undefined) continue
        fail(`${list.ref} with ${new URLSearchParams(filter)}: ${difference}`, {
          expected: 'the records of the unfiltered list whose account fits, and no others',
          evidence: found.answers.slice(0, 1),
        })
      }
    },
  )
}

/** The values that accounts have, each as a filter. */
function valuesOf(accounts: readonly Fields[], field: string): string[] {
  return [
    ...new Set(
      accounts
        .map((account) => account[field])
        .filter((value) => value !== undefined)
        .map(String),
    ),
  ]
}

/** The filter lacks this one of the thirteen categories. */
const unfiltered = 'BUY_NOW_PAY_LATER'
const categoriesMax = 3

export const accountFilters: readonly Check[] = [
  {
    id: 'filters.open-status',
    title: 'open-status leaves accounts in that state alone',
    clause: conventions(
      '4',
      `open-status (enum ALL, CLOSED, OPEN; default ALL when absent). ${matching}`,
    ),
    profile: 'smoke',
    run: (world) =>
      judgeFilter(world, ['open-status'], () =>
        ['OPEN', 'CLOSED'].map((value) => ({ 'open-status': value })),
      ),
  },
  {
    id: 'filters.open-status.all',
    title: 'open-status=ALL is the same as none',
    clause: conventions('4', 'open-status (enum ALL, CLOSED, OPEN; default ALL when absent)'),
    profile: 'full',
    run: (world) =>
      judgeEach(
        listsOf(world).filter(
          ({ operation }) => 'open-status' in (operation.query.properties as object),
        ),
        ({ ref }) => ref,
        async (list) => {
          const [first] = await subjectsOf(world, list)
          const { subject } = first ?? skip('no records were found')
          const absent = await walk(world, subject)
          const all = await walk(world, subject, { 'open-status': 'ALL' })
          const keys = (records: readonly Fields[]) => records.map((record) => keyOf(list, record))
          const difference = differenceOf(keys(absent.records), keys(all.records))
          if (difference === undefined) return
          fail(`${list.ref} with open-status=ALL: ${difference}`, {
            expected: 'the same records as without it',
            evidence: [...all.answers.slice(0, 1), ...absent.answers.slice(0, 1)],
          })
        },
      ),
  },
  {
    id: 'filters.product-category',
    title: 'product-category leaves accounts of that category alone',
    clause: conventions(
      '4',
      `product-category (enum of the banking product categories; when absent all accounts are returned). ${matching}`,
    ),
    profile: 'full',
    run: (world) =>
      judgeFilter(world, ['product-category'], (accounts) =>
        valuesOf(accounts, 'productCategory')
          .filter((value) => value !== unfiltered)
          .slice(0, categoriesMax)
          .map((value) => ({ 'product-category': value })),
      ),
  },
  {
    id: 'filters.is-owned',
    title: 'is-owned leaves owned or unowned accounts alone',
    clause: conventions(
      '4',
      'is-owned (boolean; true = owned accounts only, false = unowned only, absent = all)',
    ),
    profile: 'full',
    hint: 'isOwned belongs to the customer who looks: a joint account may be owned for one and not for another.',
    run: (world) =>
      judgeFilter(world, ['is-owned'], () =>
        ['true', 'false'].map((value) => ({ 'is-owned': value })),
      ),
  },
  {
    id: 'filters.combined',
    title: 'Filters that are given together all count',
    clause: conventions('4', matching),
    profile: 'full',
    run: (world) =>
      judgeFilter(world, ['open-status', 'is-owned'], () =>
        ['OPEN', 'CLOSED'].flatMap((status) =>
          ['true', 'false'].map((owned) => ({ 'open-status': status, 'is-owned': owned })),
        ),
      ),
  },
]
