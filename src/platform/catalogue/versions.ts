import type { changes } from '../../contract/records/product.ts'
import { addIdentity, isAfter, nextUpdateTime, toEpochMilliseconds } from './product.ts'
import type { Loaded, NewestVersion, NewVersion, Origin, ProductContent } from './store.ts'

/** A version as it is stored. Times are milliseconds since 1970. */
export interface Version {
  readonly version: number
  readonly change: (typeof changes)[number]
  readonly changedAt: number
  readonly lastUpdated: string
  readonly updatedAt: number
  readonly origin: Origin
}

export function exists(newest: NewestVersion | undefined): newest is NewestVersion {
  return newest !== undefined && newest.change !== 'DELETED'
}

export function createVersion(
  id: string,
  before: NewestVersion | undefined,
  content: ProductContent,
  { clock, loaded }: NewVersion,
): Version & { readonly record: string } {
  const at = clock()
  const loadedTime = loaded?.lastUpdated
  const lastUpdated = isAfter(loadedTime, before?.lastUpdated)
    ? loadedTime
    : nextUpdateTime(at, before?.lastUpdated)
  const keepsText = loaded && (loadedTime === undefined || loadedTime === lastUpdated)
  return {
    ...versionAt(before, exists(before) ? 'UPDATED' : 'CREATED', at, lastUpdated),
    origin: loaded?.origin ?? null,
    record: keepsText ? loaded.record : addIdentity(content.record, id, lastUpdated),
  }
}

export function createDeletion(before: NewestVersion, { clock }: NewVersion): Version {
  const at = clock()
  return versionAt(before, 'DELETED', at, nextUpdateTime(at, before.lastUpdated))
}

/** Loading a product unchanged creates no new version. */
export function isChanged(
  { content, lastUpdated, origin }: { readonly content: ProductContent } & Loaded,
  newest: NewestVersion | undefined,
): boolean {
  return (
    newest?.shown !== content.shown ||
    newest.origin !== (origin ?? null) ||
    isAfter(lastUpdated, newest.lastUpdated)
  )
}

function versionAt(
  before: NewestVersion | undefined,
  change: Version['change'],
  at: Temporal.Instant,
  lastUpdated: string,
): Version {
  return {
    version: (before?.version ?? 0) + 1,
    change,
    changedAt: at.epochMilliseconds,
    lastUpdated,
    updatedAt: toEpochMilliseconds(lastUpdated) ?? 0,
    origin: null,
  }
}
