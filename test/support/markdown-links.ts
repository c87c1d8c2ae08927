/** A fenced code block in Markdown. */
export const fence = /^ *(`{3,}|~{3,})[^\n]*\n(.*?)^ *\1 *$/gms

/** The relative links of a Markdown page. Code is excluded. */
export function findRelativeLinks(text: string): string[] {
  const prose = text.replaceAll(fence, '').replaceAll(/(`+)[^`].*?\1/g, '')
  const inline = prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)
  const defined = prose.matchAll(/^ *\[[^\]]+\]:\s*<?([^\s>]+)/gm)
  const html = prose.matchAll(/\b(?:href|src|srcset)="([^"]+)"/g)
  return [...inline, ...defined, ...html]
    .map(([, target = '']) => target)
    .filter((target) => !/^([a-z][a-z+.-]*:|\/\/)/i.test(target))
}

/** The anchors that GitHub generates for the headings of a page. */
export function findAnchors(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of text.replaceAll(fence, '').matchAll(/^#{1,6} +(.+?)[ #]*$/gm)) {
    const slug = heading
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-')
    let anchor = slug
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${slug}-${again}`
    anchors.add(anchor)
  }
  return anchors
}
