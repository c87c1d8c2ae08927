import { foldCase } from '../../contract/case-folding.ts'
import { summaryTextLengthMax } from '../../contract/limits.ts'
import type { ProductContent } from './store.ts'

/** The texts of a product that a list of summaries shows, searches and sorts by. */
export function summarizeTexts(id: string, content: Pick<ProductContent, 'name' | 'brand'>) {
  const name = shortenText(content.name)
  const brand = shortenText(content.brand)
  return {
    name,
    // Sorts names without regard to case. Short enough for an index.
    nameKey: shortenText(foldCase(name)),
    brand,
    search: [name, brand, id].map(foldCase).join('\n'),
  }
}

/** Never ends in the first half of a surrogate pair. */
export function shortenText(text: string): string {
  return text.slice(0, summaryTextLengthMax).replace(/[\ud800-\udbff]$/, '')
}
