import type { SourceLocation } from './writer.ts'

/** Lines per page. Only pages with a line of the set use memory: a bit per line. */
const pageLines = 65_536

/** A set of lines of a load, by location. */
export function openLineSet() {
  const pages = new Map<string, Uint8Array>()
  const keyOf = ({ file, line }: SourceLocation) => `${file}:${Math.floor(line / pageLines)}`
  return {
    add(location: SourceLocation): void {
      const page = pages.getOrInsertComputed(keyOf(location), () => new Uint8Array(pageLines / 8))
      const bit = location.line % pageLines
      page[bit >> 3] = (page[bit >> 3] ?? 0) | (1 << (bit & 7))
    },
    has(location: SourceLocation): boolean {
      const bit = location.line % pageLines
      return ((pages.get(keyOf(location))?.[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0
    },
  }
}
