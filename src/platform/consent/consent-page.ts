import { isId } from '../../contract/ids.ts'
import type { ArrangementStore, StoredArrangement } from './store.ts'

/** How many consents a page has. */
const pageSize = 50

/** The consents of a customer on one page, and where it ends if there is another one. */
export interface ConsentPage {
  readonly arrangements: readonly StoredArrangement[]
  readonly before: string | undefined
  readonly isFirst: boolean
}

/** Active ones come before those that have ended. */
const groups = { active: { status: 'active' }, ended: { isEnded: true } } as const
type Group = keyof typeof groups

type Place = Pick<StoredArrangement, 'id' | 'updated'> & { readonly group: Group }

/**
 * A page after the end of the previous page; the first one if `before` is no such place. In each group, the newest change is
 * first. The earlier terms of amended consents are not listed.
 */
export async function readConsentPage(
  store: Pick<ArrangementStore, 'list'>,
  customerId: string,
  before: string | undefined,
  now: Temporal.Instant,
): Promise<ConsentPage> {
  const start = before === undefined ? undefined : parsePlace(before)
  const list = async (group: Group, limit: number): Promise<(StoredArrangement & Place)[]> => {
    const after = start?.group === group ? start : undefined
    const selected = { customerId, ...groups[group], isPresent: true, isNewestFirst: true }
    const found = await store.list({ ...selected, after, limit }, now)
    return found.map((each) => ({ ...each, group }))
  }
  // One more shows whether there is a next page.
  const limit = pageSize + 1
  const active = start?.group === 'ended' ? [] : await list('active', limit)
  const ended = active.length < limit ? await list('ended', limit - active.length) : []
  const found = [...active, ...ended]
  const arrangements = found.slice(0, pageSize)
  const last = found.length > pageSize ? arrangements.at(-1) : undefined
  return { arrangements, before: last && formatPlace(last), isFirst: start === undefined }
}

function formatPlace({ group, updated, id }: Place): string {
  return `${group}-${updated.epochMilliseconds}-${id}`
}

function parsePlace(text: string): Place | undefined {
  const [, group, time, id = ''] = /^(active|ended)-(\d{1,15})-(.+)$/.exec(text) ?? []
  if (group === undefined || !isId(id)) return undefined
  const updated = Temporal.Instant.fromEpochMilliseconds(Number(time))
  return { group: group as Group, updated, id }
}
