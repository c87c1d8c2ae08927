import type { Tally } from './tally.ts'

/**
 * What is known about a product that several writers change. Every saved product has a name of its own, so that each
 * version shows which request created it.
 */
export interface ProductModel {
  readonly id: string
  /** The newest acknowledged version. */
  newest(): number
  /** A version was acknowledged with this name. */
  acknowledge(version: number, name: string): void
  /** A version with this name may have been created: the response was lost. */
  allow(name: string): void
  /** A draft with this tag was saved or read. */
  saveDraft(tag: string, name: string): void
  /** A request with the tag of a draft was acknowledged. It replaced, discarded or published the draft. */
  useDraft(tag: string, isPublished: boolean): void
  /** Compares all versions, as they were read at the end. `versions` has the names of version 1 and following. */
  compare(versions: readonly string[]): void
}

export function openProductModel(tally: Tally, id: string): ProductModel {
  const acknowledged = new Map<number, string>()
  const allowed = new Map<string, number>()
  const drafts = new Map<string, string>()
  const usedTags = new Set<string>()
  /** The names of drafts that were replaced or discarded. */
  const excluded = new Set<string>()
  let newest = 0
  const fault = (text: string) => tally.fault('wrong', `product ${id}: ${text}`)

  return {
    id,
    newest: () => newest,
    acknowledge(version, name) {
      const earlier = acknowledged.get(version)
      if (earlier !== undefined)
        fault(`version ${version} was acknowledged as ${earlier} and as ${name}`)
      acknowledged.set(version, name)
      newest = Math.max(newest, version)
    },
    allow: (name) => void allowed.set(name, (allowed.get(name) ?? 0) + 1),
    saveDraft(tag, name) {
      const earlier = drafts.get(tag) ?? name
      if (earlier !== name) fault(`two drafts, ${earlier} and ${name}, have the ETag ${tag}`)
      drafts.set(tag, name)
    },
    useDraft(tag, isPublished) {
      if (usedTags.has(tag)) fault(`two requests with the ETag ${tag} of a draft succeeded`)
      usedTags.add(tag)
      if (!isPublished) excluded.add(drafts.get(tag) ?? '')
    },
    compare(versions) {
      if (versions.length < newest)
        fault(`version ${newest} was acknowledged, ${versions.length} is the newest`)
      for (const [index, name] of versions.entries()) {
        const version = index + 1
        const expected = acknowledged.get(version)
        const left = allowed.get(name) ?? 0
        if (excluded.has(name)) fault(`version ${version} is ${name}, which was discarded`)
        if (expected === undefined && left === 0)
          fault(`version ${version} is ${name}, which was not published`)
        if (expected === undefined) allowed.set(name, left - 1)
        else if (expected !== name) fault(`version ${version} is ${name} instead of ${expected}`)
      }
    },
  }
}
