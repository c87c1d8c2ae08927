import type {
  FeedState,
  ListedCheck,
  ServerStatus,
  UnpublishedProduct,
} from '../../../contract/index.ts'
import { capitalize } from '../../../contract/labels.ts'
import { countGaps } from '../../../contract/publicity.ts'
import { formatCount, formatSpan } from '../../labels.ts'
import { hasScope } from '../../session.ts'
import { productUrl } from '../catalogue/addresses.ts'

/** Something to look at: what it is about, in which colour, what happened, since when, and what to do. */
export interface Item {
  readonly about: string
  readonly kind: 'warn' | 'bad'
  readonly event: string
  /** Where it can be seen or corrected. */
  readonly href: string
  /** RFC 3339. */
  readonly since?: string
  readonly advice: string
}

const serverAdvice = {
  unavailable: 'Check that it runs, and read its log.',
  degraded: 'Most requests succeed. Its log names the part that does not.',
  undetermined: 'Check its address in the settings of the platform.',
} as const

export function listServerItems(servers: readonly ServerStatus[]): Item[] {
  return servers.flatMap(({ role, reasons, status, since }) =>
    status === 'ok'
      ? []
      : (reasons.length > 0 ? reasons : [status]).map((reason) => ({
          about: 'Server',
          kind: status === 'unavailable' ? 'bad' : 'warn',
          event: `${capitalize(role)}: ${reason}`,
          href: '/console/monitoring',
          ...(since !== undefined && { since }),
          advice: serverAdvice[status],
        })),
  )
}

export function listFeedItems(feeds: readonly FeedState[], now = Date.now()): Item[] {
  return feeds
    .filter(({ isLate }) => isLate)
    .map(({ feed, batch, time, usualSeconds = 0 }) => ({
      about: 'Feed',
      kind: 'bad',
      event: `${feed} has not sent a batch for ${formatSpan((now - Date.parse(time)) / 1000)}`,
      href: '/console/monitoring',
      advice: `Usually every ${formatSpan(usualSeconds)}; the last batch was ${formatCount(batch)}. Check the program that sends it.`,
    }))
}

/** Only of the last run: an earlier one may have been corrected. */
export function listCheckItems([last]: readonly ListedCheck[]): Item[] {
  if (last?.state !== 'completed' || last.progress.failed === 0) return []
  const { checkId, startedAt, progress } = last
  return [
    {
      about: 'Check',
      kind: 'bad',
      event: `${formatCount(progress.failed)} of ${formatCount(progress.total)} checks of the provider failed`,
      href: `/console/checks/${encodeURIComponent(checkId)}`,
      since: startedAt,
      advice: 'The report names the clause of each, and the most likely cause.',
    },
  ]
}

export function listProductItems(products: readonly UnpublishedProduct[]): Item[] {
  return products.map(({ product_id: id, name, faults, changed_at: since }) => ({
    about: 'Catalogue',
    kind: 'warn',
    event: `${name} is not in the public catalogue`,
    href: productUrl(id, hasScope('products.write') ? '/edit' : ''),
    since,
    advice: `Published with ${countGaps(faults.length)}: fill in the fields that the editor lists.`,
  }))
}
