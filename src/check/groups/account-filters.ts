import { asNode } from '../../contract/schema.ts'
import { describeDifference } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import { readAccountRecords } from '../customers.ts'
import { type Check, conventions } from '../definition.ts'
import { checkEach, fail, type Passed, skip } from '../outcome.ts'
import {
  compareRecords,
  type Fields,
  findPagedLists,
  hasParameter,
  type PagedList,
  readAccountId,
  readKey,
  readKeys,
} from '../paged-list.ts'
import { readList, readUnbounded, requirePage, type Subject } from '../read-list.ts'
import { formatStatus } from '../responses.ts'
import { findCandidates, findSubjects } from '../subjects.ts'

type Filter = Readonly<Record<string, string>>

const matching = 'Only accounts whose state matches the filters are returned'

/** Whether an account matches a filter; undefined if it lacks the field of the filter. */
function matches(account: Fields, filter: Filter): boolean | undefined {
  const fields = {
    'open-status': 'openStatus',
    'product-category': 'productCategory',
    'is-owned': 'isOwned',
  }
  let isKnown = true
  for (const [parameter, value] of Object.entries(filter)) {
    const actual = account[fields[parameter as keyof typeof fields]]
    if (actual === undefined) isKnown = false
    else if (String(actual) !== value) return false
  }
  return isKnown ? true : undefined
}

/** The records that a filtered list must have, and those that it may have because their accounts lack the field. */
interface Expected {
  readonly subject: Subject
  readonly filter: Filter
  readonly must: readonly string[]
  readonly may: readonly string[]
}

/** Filters of the first list that exclude some of its records and keep others. */
async function findExpectations(
  context: CheckContext,
  list: PagedList,
  filters: (accounts: readonly Fields[]) => readonly Filter[],
): Promise<Expected[]> {
  for (const { subject } of await findSubjects(context, list)) {
    const accounts = await readAccountRecords(context, subject.customerId)
    const { records, isWhole } = await readUnbounded(context, subject)
    if (!isWhole) continue
    const expected = filters([...accounts.values()]).map((filter) => {
      const results = records.map((record) => ({
        key: readKey(list, record),
        isMatch: matches(accounts.get(String(readAccountId(list, record))) ?? {}, filter),
      }))
      return {
        subject,
        filter,
        must: results.filter(({ isMatch }) => isMatch === true).map(({ key }) => key),
        may: results.filter(({ isMatch }) => isMatch !== false).map(({ key }) => key),
      }
    })
    const useful = expected.filter(
      ({ must, may }) => must.length > 0 && may.length < records.length,
    )
    if (useful.length > 0) return useful
  }
  return skip('no list has both matching and other records')
}

/** Runs a check on every list that has the parameters. */
function forListsWith(
  parameters: readonly string[],
  check: (context: CheckContext, list: PagedList) => Promise<void>,
): (context: CheckContext) => Promise<Passed> {
  const isFiltered = (list: PagedList) => parameters.every((name) => hasParameter(list, name))
  return (context) =>
    checkEach(findPagedLists(context).filter(isFiltered), (list) => check(context, list))
}

/** Compares each filtered list with the matching records of the whole list. */
function checkFilter(
  parameters: readonly string[],
  filters: (accounts: readonly Fields[]) => readonly Filter[],
): Check['run'] {
  return forListsWith(parameters, async (context, list) => {
    for (const { subject, filter, must, may } of await findExpectations(context, list, filters)) {
      const found = await readUnbounded(context, subject, filter)
      const keys = readKeys(list, found.records)
      const surplus = keys.filter((key) => !may.includes(key))
      const difference =
        surplus.length > 0 || must.some((key) => !keys.includes(key))
          ? describeDifference(must, keys)
          : undefined
      if (difference === undefined) continue
      fail(`${list.ref} with ${new URLSearchParams(filter)}: ${difference}`, {
        expected: 'the records of the unfiltered list whose account matches, and no others',
        evidence: found.responses.slice(0, 1),
      })
    }
  })
}

/** Every value of the filters for accounts that a list has. */
function listFilterValues({ operation }: PagedList): Filter[] {
  return ['open-status', 'product-category', 'is-owned'].flatMap((name) => {
    const parameter = asNode(operation.query).properties?.[name]
    const values = parameter?.type === 'boolean' ? ['true', 'false'] : (parameter?.enum ?? [])
    return values.map((value) => ({ [name]: value }))
  })
}

/** The distinct values of a field. */
function findValues(accounts: readonly Fields[], field: string): string[] {
  const values = accounts.map((account) => account[field])
  return [...new Set(values.filter((value) => value !== undefined).map(String))]
}

/** The one of the thirteen categories that is not a value of the filter. */
const unfiltered = 'BUY_NOW_PAY_LATER'
const categoriesMax = 3

export const accountFilters: readonly Check[] = [
  {
    id: 'filters.open-status',
    title: 'open-status returns only accounts with that status',
    clause: conventions(
      '4',
      `open-status (enum ALL, CLOSED, OPEN; default ALL when absent). ${matching}`,
    ),
    profile: 'smoke',
    run: checkFilter(['open-status'], () =>
      ['OPEN', 'CLOSED'].map((value) => ({ 'open-status': value })),
    ),
  },
  {
    id: 'filters.open-status.all',
    title: 'open-status=ALL has the same effect as no open-status',
    clause: conventions('4', 'open-status (enum ALL, CLOSED, OPEN; default ALL when absent)'),
    run: forListsWith(['open-status'], async (context, list) => {
      const [first] = await findSubjects(context, list)
      const { subject } = first ?? skip('no records were found')
      const absent = await readList(context, subject)
      const all = await readList(context, subject, { 'open-status': 'ALL' })
      const difference = compareRecords(list, absent.records, all.records)
      if (difference === undefined) return
      fail(`${list.ref} with open-status=ALL: ${difference}`, {
        expected: 'the same records as without open-status',
        evidence: [...all.responses.slice(0, 1), ...absent.responses.slice(0, 1)],
      })
    }),
  },
  {
    id: 'filters.product-category',
    title: 'product-category returns only accounts of that category',
    clause: conventions(
      '4',
      `product-category (enum of the banking product categories; when absent all accounts are returned). ${matching}`,
    ),
    run: checkFilter(['product-category'], (accounts) =>
      findValues(accounts, 'productCategory')
        .filter((value) => value !== unfiltered)
        .slice(0, categoriesMax)
        .map((value) => ({ 'product-category': value })),
    ),
  },
  {
    id: 'filters.is-owned',
    title: 'is-owned returns only owned or only unowned accounts',
    clause: conventions(
      '4',
      'is-owned (boolean; true = owned accounts only, false = unowned only, absent = all)',
    ),
    hint: 'isOwned depends on the requesting customer: a joint account may be owned by one holder and not by another.',
    run: checkFilter(['is-owned'], () => ['true', 'false'].map((value) => ({ 'is-owned': value }))),
  },
  {
    id: 'filters.values',
    title: 'Every value of a filter that the interface lists is accepted',
    clause: conventions(
      '4',
      'open-status (enum ALL, CLOSED, OPEN); product-category (enum of the banking product categories); is-owned (boolean)',
    ),
    run: (context) =>
      checkEach(findPagedLists(context), async (list) => {
        const [subject = skip('no customer has an account for it')] = await findCandidates(
          context,
          list,
        )
        const filters = listFilterValues(list)
        if (filters.length === 0) skip('it has no such filter')
        await requirePage(context, subject, {})
        for (const filter of filters) {
          const query = { 'page-size': 1, ...filter }
          const response = await context.request(list.operation, { ...subject.input, query })
          if (response.isSuccess) continue
          fail(
            `${list.ref} with ${new URLSearchParams(filter)} returned ${formatStatus(response)}`,
            {
              expected: 'a success, with or without records',
              evidence: [response],
            },
          )
        }
      }),
  },
  {
    id: 'filters.combined',
    title: 'Several filters apply together',
    clause: conventions('4', matching),
    run: checkFilter(['open-status', 'is-owned'], () =>
      ['OPEN', 'CLOSED'].flatMap((status) =>
        ['true', 'false'].map((owned) => ({ 'open-status': status, 'is-owned': owned })),
      ),
    ),
  },
]
