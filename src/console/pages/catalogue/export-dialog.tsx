import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../../api.ts'
import { ButtonLink, SecondaryButton } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Problem } from '../../components/states.tsx'
import { formatCount } from '../../labels.ts'
import { useObjectUrl } from '../../object-url.ts'
import { type ExportProgress, exportProducts } from './export-products.ts'
import { type Filters, isFiltered } from './filters.ts'

/** Reads products page by page, and offers them as a file. */
export function ExportDialog({
  filters,
  onClose,
}: {
  readonly filters: Filters
  readonly onClose: () => void
}) {
  const [progress, setProgress] = useState<ExportProgress>({ read: 0, total: 0 })
  const [exported, setExported] = useState<Awaited<ReturnType<typeof exportProducts>>>()
  const [error, setError] = useState<ApiError>()
  const url = useObjectUrl(exported?.file)
  useEffect(() => {
    const controller = new AbortController()
    exportProducts(filters, controller.signal, setProgress).then(setExported, (thrown: unknown) => {
      if (thrown instanceof ApiError) setError(thrown)
    })
    return () => controller.abort()
  }, [])
  return (
    <Dialog title="Export products" onClose={onClose}>
      <p>
        {isFiltered(filters) ? 'Only products that match the filters.' : 'All products.'} One line
        of JSON each, as <code>holdfast load</code> and <em>Import</em> read them. Drafts are not
        exported.
      </p>
      {error && <Problem error={error} />}
      {!error && !exported && (
        <>
          <progress aria-label="Products read" value={progress.read} max={progress.total || 1} />
          <p>
            {formatCount(progress.read)} of {formatCount(progress.total)} products read
          </p>
        </>
      )}
      {exported && (
        <p role="status">
          {formatCount(exported.count, 'product')} {exported.count === 1 ? 'is' : 'are'} ready.
        </p>
      )}
      <p class="buttons">
        {url && (
          <ButtonLink href={url} download="products.ndjson">
            Download products.ndjson
          </ButtonLink>
        )}
        <SecondaryButton onClick={onClose}>{exported || error ? 'Close' : 'Stop'}</SecondaryButton>
      </p>
    </Dialog>
  )
}
