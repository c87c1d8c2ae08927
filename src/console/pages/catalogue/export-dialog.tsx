import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../../api.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Problem } from '../../components/problem.tsx'
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
  const [file, setFile] = useState<{ readonly url: string; readonly count: number }>()
  const [error, setError] = useState<ApiError>()
  const url = useRef<string>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    exportProducts(filters, controller.signal, setProgress).then(
      ({ file, count }) => {
        if (controller.signal.aborted) return
        url.current = URL.createObjectURL(file)
        setFile({ url: url.current, count })
      },
      (thrown: unknown) => {
        if (!controller.signal.aborted && thrown instanceof ApiError) setError(thrown)
      },
    )
    return () => {
      controller.abort()
      if (url.current) URL.revokeObjectURL(url.current)
    }
  }, [])
  const format = (count: number) => count.toLocaleString('en')
  return (
    <Dialog title="Export products" onClose={onClose}>
      <p>
        {isFiltered(filters) ? 'Only products that match the filters.' : 'All products.'} One line
        of JSON each, as <code>holdfast load</code> and <em>Import</em> read them. Drafts are not
        exported.
      </p>
      {error && <Problem error={error} />}
      {!error && !file && (
        <>
          <progress aria-label="Products read" value={progress.read} max={progress.total || 1} />
          <p>
            {format(progress.read)} of {format(progress.total)} products read
          </p>
        </>
      )}
      {file && (
        <p role="status">
          {format(file.count)} {file.count === 1 ? 'product is' : 'products are'} ready.
        </p>
      )}
      <p class="buttons">
        {file && (
          <a class="button" href={file.url} download="products.ndjson">
            Download products.ndjson
          </a>
        )}
        <button type="button" class="secondary" onClick={onClose}>
          {file || error ? 'Close' : 'Stop'}
        </button>
      </p>
    </Dialog>
  )
}
