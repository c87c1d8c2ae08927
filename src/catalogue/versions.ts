import type { changes } from '../contract/records/product.ts'
import { addIdentity, isAfter, nextUpdateTime, toEpochMilliseconds } from './product.ts'
import type { Author, ProductContent } from './store.ts'

/** The newest version of a product, from which the next one is derived. */
export interface NewestVersion {
  readonly version: number
  readonly change: string
  readonly lastUpdated: string
  /** Null if `change` is DELETED. */
  readonly shown: string | null
}

/** A product from a line of a load. */
export interface Loaded {
  readonly record: string
  readonly lastUpdated: string | undefined
}

export interface NewVersion {
  readonly by: Author
  readonly clock: () => Temporal.Instant
  /** The loaded line, which a dump reproduces. Its `last_updated` is used unless it goes back in time. */
  readonly loaded?: Loaded
}

/** A version as it is stored. Times are milliseconds since 1970. */
export interface Version {
  readonly version: number
  readonly change: (typeof changes)[number]
  readonly changedAt: number
  readonly lastUpdated: string
  readonly updatedAt: number
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
    record: keepsText ? loaded.record : addIdentity(content.record, id, lastUpdated),
  }
}

export function createDeletion(before: NewestVersion, { clock }: NewVersion): Version {
  const at = clock()
  return versionAt(before, 'DELETED', at, nextUpdateTime(at, before.lastUpdated))
}

/** Loading a product unchanged creates no new version. */
export function isChanged(
  { content, lastUpdated }: { readonly content: ProductContent } & Loaded,
  newest: NewestVersion | undefined,
): boolean {
  return newest?.shown !== content.shown || isAfter(lastUpdated, newest.lastUpdated)
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
  }
}
