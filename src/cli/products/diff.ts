import { escapeInvisible } from '../../contract/characters.ts'
import {
  findMeasure,
  findPlace,
  formatValue,
  type Place,
  parsePath,
} from '../../contract/product-values.ts'
import { diffProducts, type FieldChange } from '../../platform/catalogue/diff.ts'
import type { CatalogueStore } from '../../platform/catalogue/store.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { type FoundProduct, findDraft, findNewest, findVersion } from './find.ts'

export interface DiffFlags {
  readonly from?: number | undefined
  readonly to?: number | 'draft' | undefined
  readonly json?: boolean | undefined
}

export async function printDiff(
  store: CatalogueStore,
  id: string,
  { from, to, json }: DiffFlags,
  terminal: Terminal,
): Promise<void> {
  const hasDraft = (await store.readDraft(id)) !== undefined
  const until = to ?? (hasDraft ? 'draft' : (await findNewest(store, id)).version)
  const [before, after] = await findPair(store, id, from, until)
  const products = [JSON.parse(before.text), JSON.parse(after.text)] as const
  const changes = diffProducts(...products)
  const lines = json
    ? changes.map((change) => JSON.stringify(change))
    : [
        `--- ${before.label}`,
        `+++ ${after.label}`,
        ...changes.map((change) => formatChange(change, ...products)),
      ]
  if (changes.length === 0 && !json) lines.push('no differences')
  for (const line of lines) terminal.out(`${escapeInvisible(line)}\n`)
}

async function findPair(
  store: CatalogueStore,
  id: string,
  from: number | undefined,
  to: number | 'draft',
): Promise<readonly [FoundProduct, FoundProduct]> {
  if (to !== 'draft') {
    if (from === undefined && to === 1) {
      throw new CommandError(
        1,
        'the product has no draft and no version before 1: compare others with --from and --to',
      )
    }
    return [await findVersion(store, id, from ?? to - 1), await findVersion(store, id, to)]
  }
  const { draft, text, label } = await findDraft(store, id)
  const { product } = JSON.parse(text)
  const after = { text: JSON.stringify(product), label }
  if (from === undefined && draft.newest === 0) return [nothing, after]
  return [await findVersion(store, id, from), after]
}

/** What a draft of a new product is compared with. */
const nothing: FoundProduct = { text: '{}', label: 'not published yet' }

const marks = { added: '+', removed: '-', changed: '~' } as const

function formatChange(change: FieldChange, before: object, after: object): string {
  const path = parsePath(change.path)
  const sides = [
    ...('before' in change ? [formatSide(findPlace(before, path), change.before)] : []),
    ...('after' in change ? [formatSide(findPlace(after, path), change.after)] : []),
  ]
  return `${marks[change.kind]} ${change.path}: ${sides.join(' -> ')}`
}

/** A number or a duration is also shown in the words of the console. */
function formatSide(place: Place, value: unknown): string {
  const hasUnit = typeof value === 'string' && findMeasure(place) !== 'enumeration'
  const words = hasUnit ? formatValue(place, value) : undefined
  return JSON.stringify(value) + (words === undefined ? '' : ` (${words})`)
}
