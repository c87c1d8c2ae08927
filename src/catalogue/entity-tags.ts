/** The version of a product as HTTP has it: `"3"`. It is strong: the version says all of the content. */
export function formatEntityTag(version: number): string {
  return `"${version}"`
}

/**
 * The versions that an `If-Match` names; undefined where any will do. Weak tags and those of others name
 * none (RFC 9110, 13.1.1).
 */
export function parseIfMatch(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined
  return ifMatch.split(',').flatMap((tag) => {
    const [, version] = /^\s*"([1-9]\d{0,15})"\s*$/.exec(tag) ?? []
    return version === undefined ? [] : [Number(version)]
  })
}

/** Whether an `If-None-Match` names the version, as a weak tag too (RFC 9110, 13.1.2). */
export function matchesIfNoneMatch(ifNoneMatch: string | undefined, version: number): boolean {
  if (ifNoneMatch === undefined) return false
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(formatEntityTag(version))
}
