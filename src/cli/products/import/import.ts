import { fromCdsProductDetail } from '../../../contract/index.ts'
import { findProductWarnings } from '../../../contract/product-warnings.ts'
import { type Stopping, signalStatus } from '../../../server/signals.ts'
import { CommandError, type Terminal } from '../../../server/terminal.ts'
import { type StoreFlags, withStore } from '../../common/database.ts'
import { formatQuantity } from '../../common/format-count.ts'
import { openProgressLine } from '../../common/progress-line.ts'
import { confirmReplacement, type ReplaceFlags } from './confirm-replacement.ts'
import { readDetailFile } from './detail-file.ts'
import type { HolderProduct } from './holder-product.ts'
import { parseListUrl, readHolderProducts } from './holder-products.ts'
import { openImportReport } from './import-report.ts'
import { openJsonRequests } from './json-requests.ts'
import { isUrl, readOrigin } from './origin.ts'
import { comparePresent, importProduct, type Target } from './target.ts'

export interface ImportFlags extends ReplaceFlags {
  readonly origin?: string | undefined
  readonly timeout: number
  readonly json?: boolean | undefined
}

export async function importProducts(
  from: string,
  flags: StoreFlags & ImportFlags,
  terminal: Terminal,
  { signal, stoppedBy }: Stopping,
): Promise<void> {
  const listUrl = isUrl(from) ? parseListUrl(from) : undefined
  const origin = readOrigin(flags.origin, listUrl)
  const progress = openProgressLine(terminal)
  const onWait = (seconds: number) => {
    progress.clear()
    terminal.error(`the server asks to wait ${formatQuantity(seconds, 'second')}\n`)
  }
  const throwIfStopped = () => {
    const stop = stoppedBy()
    if (stop) throw new CommandError(signalStatus[stop], `Stopped by ${stop}. ${continuation}`)
  }
  const createFlags = { ...flags, create: true }
  await withStore('openCatalogueStore', createFlags, terminal, async (store) => {
    const replaced = await confirmReplacement(store, origin, flags, terminal, signal).catch(
      (error: Error) => {
        throwIfStopped()
        throw error
      },
    )
    const target: Target = { store, origin, replaced, isLive: listUrl !== undefined }
    const read = openJsonRequests({ timeoutMs: flags.timeout * 1000, signal, onWait })
    const products = listUrl
      ? readHolderProducts(listUrl, { read, compare: (product) => comparePresent(target, product) })
      : readDetailFile(from)
    const report = openImportReport(flags.json ?? false, terminal)
    // What was read before an error that ends the import early is written.
    let failure: unknown
    try {
      for await (const found of products) {
        await importOne(found, target, report)
        progress.show(() => formatQuantity(report.count(), 'product'))
      }
    } catch (error) {
      failure = error
    }
    progress.clear()
    if (!failure) report.rejectMissing(replaced.keys())
    report.finish()
    if (failure) throwIfStopped()
    if (listUrl && failure instanceof CommandError) {
      throw new CommandError(1, `${failure.message}. ${continuation}`, { cause: failure })
    }
    if (failure) throw failure
    report.requireComplete()
  })
}

const continuation = 'What was imported is stored: run the command again to continue.'

async function importOne(
  { label, detail, present, failure }: HolderProduct,
  target: Target,
  report: ReturnType<typeof openImportReport>,
): Promise<void> {
  if (present === 'unchanged') return report.add(label, present)
  if (present) return report.keep(label, present)
  if (failure !== undefined) return report.reject(label, [{ path: '', reason: failure }])
  const { product, lost, separated } = fromCdsProductDetail(detail)
  if (!product) return report.reject(label, lost)
  const imported = await importProduct(target, product)
  if (typeof imported === 'object' && 'kept' in imported) return report.keep(label, imported.kept)
  if (typeof imported === 'object') return report.reject(label, [imported.problem])
  report.add(label, imported)
  report.note(label, 'separated', separated)
  report.note(label, 'left_out', lost)
  if (imported !== 'unchanged') report.warn(label, findProductWarnings(product))
}
