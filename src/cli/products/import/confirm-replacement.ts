import { escapeInvisible } from '../../../contract/characters.ts'
import type { CatalogueStore } from '../../../platform/catalogue/store.ts'
import { CommandError, type Terminal } from '../../../server/terminal.ts'
import { formatQuantity } from '../../common/format-count.ts'
import { requireYes } from '../../common/require-yes.ts'
import { describeKept, isFrom } from './target.ts'

export interface ReplaceFlags {
  readonly replace?: readonly string[] | undefined
  readonly yes?: boolean | undefined
}

/** Lists the products that an import may replace although they are not of the holder, and asks. Returns their versions by id. */
export async function confirmReplacement(
  store: CatalogueStore,
  origin: string,
  { replace = [], yes = false }: ReplaceFlags,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const versions = new Map<string, number>()
  const listed: string[] = []
  for (const id of new Set(replace)) {
    const newest = await store.readNewest(id)
    if (!newest) {
      throw new CommandError(
        1,
        `--replace: no product has the ID ${JSON.stringify(id)}. Run holdfast products list`,
      )
    }
    versions.set(id, newest.version)
    if (isFrom(origin, newest)) continue
    const { name, reason } = await describeKept(store, id, newest)
    listed.push(escapeInvisible(`  ${id}  ${JSON.stringify(name)} ${reason}`))
  }
  if (listed.length === 0) return versions

  const products = formatQuantity(listed.length, 'product')
  terminal.error(`--replace replaces ${products}:\n${listed.join('\n')}\n`)
  if (yes) return versions
  await requireYes(`Replace with what ${escapeInvisible(origin)} publishes?`, {
    asking: '--replace',
    otherwise: 'nothing was imported',
    terminal,
    signal,
  })
  return versions
}
