import type { CatalogueStore } from '../../../catalogue/store.ts'
import { fromCdsProductDetail, type Problem, type Product } from '../../../contract/index.ts'
import { load } from '../../../load/load.ts'
import type { ProviderWriter } from '../../../load/writer.ts'
import { databaseOptions } from '../../../server/database-options.ts'
import { type Stopping, signalStatus } from '../../../server/signals.ts'
import { CommandError, type Terminal } from '../../../server/terminal.ts'
import { openCatalogueStore, openProviderWriter } from '../../../storage/open.ts'
import { prepareDatabase, type StoreFlags } from '../../common/database.ts'
import { openProgressLine } from '../../common/progress-line.ts'
import { readCommandSettings } from '../../common/setting-flags.ts'
import { formatQuantity } from '../../load/format-quantity.ts'
import { readDetailFile } from './detail-file.ts'
import type { HolderProduct } from './holder-product.ts'
import { type ListedProduct, parseListUrl, readHolderProducts } from './holder-products.ts'
import { openImportReport } from './import-report.ts'
import { openJsonRequests } from './json-requests.ts'

/** How many products are written at once. An import that is killed requests at most these again. */
const batchSize = 25

export interface ImportFlags {
  readonly timeout: number
  readonly json?: boolean | undefined
}

export async function importProducts(
  from: string,
  { timeout, json }: ImportFlags,
  flags: StoreFlags,
  terminal: Terminal,
  { signal, stoppedBy }: Stopping,
): Promise<void> {
  const listUrl = /^https?:/i.test(from) ? parseListUrl(from) : undefined
  const settings = readCommandSettings('platform', flags, terminal)
  await prepareDatabase(settings, true, terminal)
  const options = databaseOptions(settings)
  const progress = openProgressLine(terminal)
  const onWait = (seconds: number) => {
    progress.clear()
    terminal.error(`the server asks to wait ${formatQuantity(seconds, 'second')}\n`)
  }
  const store = await openCatalogueStore(settings.database, options)
  try {
    const writerOptions = { loadTime: Temporal.Now.instant(), inBatches: true }
    const writer = await openProviderWriter(settings.database, writerOptions, options)
    try {
      const compare = (product: ListedProduct) => comparePresent(store, product)
      const read = openJsonRequests({ timeoutMs: timeout * 1000, signal, onWait })
      const products = listUrl
        ? readHolderProducts(listUrl, { read, compare })
        : readDetailFile(from)
      const report = openImportReport(json ?? false, terminal)
      const failure = await importAll(products, { store, writer, report, progress })
      progress.clear()
      report.finish()
      const stop = stoppedBy()
      if (failure && stop) {
        throw new CommandError(signalStatus[stop], `Stopped by ${stop}. ${continuation}`)
      }
      if (listUrl && failure instanceof CommandError) {
        throw new CommandError(1, `${failure.message}. ${continuation}`, { cause: failure })
      }
      if (failure) throw failure
      report.requireComplete()
    } finally {
      progress.clear()
      await writer.close()
    }
  } finally {
    await store.close()
  }
}

const continuation = 'What was imported is stored: run the command again to continue.'

interface Import {
  readonly store: CatalogueStore
  readonly writer: ProviderWriter
  readonly report: ReturnType<typeof openImportReport>
  readonly progress: ReturnType<typeof openProgressLine>
}

/** Returns the error that ended the import early. What was read before it is written. */
async function importAll(
  products: AsyncIterable<HolderProduct>,
  { store, writer, report, progress }: Import,
): Promise<Error | undefined> {
  let batch: Product[] = []
  const write = async () => {
    if (batch.length > 0) await writeBatch(batch, writer, report)
    batch = []
  }
  let failure: Error | undefined
  try {
    for await (const found of products) {
      const product = await convert(found, store, report)
      if (product) batch.push(product)
      if (batch.length === batchSize) await write()
      progress.show(() => formatQuantity(report.count(), 'product'))
    }
  } catch (error) {
    failure = error as Error
  }
  await write()
  return failure
}

/** Undefined if there is nothing to write. */
async function convert(
  { label, detail, present, failure }: HolderProduct,
  store: CatalogueStore,
  report: Import['report'],
): Promise<Product | undefined> {
  if (present) return report.add(present)
  if (failure !== undefined) return report.reject(label, [{ path: '', reason: failure }])
  const { product, lost } = fromCdsProductDetail(detail)
  if (!product) return report.reject(label, lost)
  const { product_id: id, last_updated: lastUpdated } = product as Published
  if ((await comparePresent(store, { id, lastUpdated })) === 'kept') return report.add('kept')
  report.leaveOut(label, lost)
  return product
}

type Published = Product & { readonly last_updated?: string }

/** The times are those of the holder, unless the product was changed in the catalogue. */
async function comparePresent(
  store: CatalogueStore,
  { id, lastUpdated }: ListedProduct,
): Promise<'unchanged' | 'kept' | undefined> {
  const stored = await store.read(id)
  const time = parseTime(lastUpdated)
  if (!stored || !time) return undefined
  const order = Temporal.Instant.compare(stored.lastUpdated, time)
  if (order < 0) return undefined
  return order === 0 ? 'unchanged' : 'kept'
}

function parseTime(text: unknown): Temporal.Instant | undefined {
  try {
    return Temporal.Instant.from(text as string)
  } catch {
    return undefined
  }
}

/** Products are validated and written as those of `holdfast load`. */
async function writeBatch(
  products: readonly Product[],
  writer: ProviderWriter,
  report: Import['report'],
): Promise<void> {
  const lines = products.map((record, index) => ({
    line: index + 1,
    text: JSON.stringify({ type: 'product', record }),
  }))
  const source = {
    name: 'import',
    isRepeatable: true,
    async *read() {
      yield { bytes: 0, lines }
    },
  }
  const problems = new Map<number, Problem[]>()
  const { counts } = await load([source], writer, {
    skipInvalid: true,
    onError({ line, path, reason }) {
      problems.set(line, [...(problems.get(line) ?? []), { path, reason }])
    },
  })
  for (const [line, found] of problems) report.reject(products[line - 1]?.product_id ?? '', found)
  report.addCounts(counts)
}
