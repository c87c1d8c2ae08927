/**
 * A strong entity tag, such as `"3"`: that of a product is its version, since equal versions have equal content; each saved
 * draft has a tag of its own.
 */
export function formatEntityTag(tag: number | string): string {
  return `"${tag}"`
}

/**
 * The versions in an `If-Match` header; undefined if every version matches. Weak and foreign tags match none
 * (RFC 9110, section 13.1.1).
 */
export function parseIfMatch(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined
  return ifMatch.split(',').flatMap((tag) => {
    const [, version] = /^\s*"([1-9]\d{0,15})"\s*$/.exec(tag) ?? []
    return version === undefined ? [] : [Number(version)]
  })
}

/** Uses weak comparison, as RFC 9110, section 13.1.2 requires. */
export function matchesIfNoneMatch(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(tag)
}

/** The condition in an `If-Match` header: `*` matches every draft, a weak or foreign tag none. */
export function parseDraftCondition(
  ifMatch: string | undefined,
): ((tag: string) => boolean) | undefined {
  if (ifMatch === undefined) return undefined
  const accepted = ifMatch.split(',').map((tag) => tag.trim())
  return (tag) => accepted.includes('*') || accepted.includes(formatEntityTag(tag))
}
