/** A fenced code block in Markdown. */
export const fence = /^ *(`{3,}|~{3,})[^\n]*\n(.*?)^ *\1 *$/gms

/** The relative links of a Markdown page. Code is excluded. */
export function findRelativeLinks(text: string): string[] {
  const prose = text.replaceAll(fence, '').replaceAll(/(`+)[^`].*?\1/g, '')
  const inline = prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)
  const defined = prose.matchAll(/^ *\[[^\]]+\]:\s*<?([^\s>]+)/gm)
  const html = prose.matchAll(/\b(?:href|src)="([^"]+)"/g)
  return [...inline, ...defined, ...html]
    .map(([, target = '']) => target)
    .filter((target) => !/^([a-z][a-z+.-]*:|\/\/)/i.test(target))
}
