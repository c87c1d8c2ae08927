import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where a page of the documentation is: an installed package is in `node_modules`. */
export function locateDocument(path: string): string {
  const file = fileURLToPath(new URL(`../../docs/${path}`, import.meta.url))
  const fromHere = relative(process.cwd(), file)
  return fromHere.startsWith('..') ? file : fromHere
}
