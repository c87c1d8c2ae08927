import { useEffect, useRef, useState } from 'preact/hooks'
import { Notice } from '../../components/notice.tsx'
import { Table } from '../../components/table.tsx'
import { confirmLeaving } from '../../router.ts'
import { catalogueUrl } from './addresses.ts'
import type { PlannedLine } from './import-plan.ts'
import { format, More, shownMax } from './import-preview.tsx'
import { type FailedLine, type ImportMode, runImport } from './import-run.ts'

/** Sends the lines, and reports those that failed. It can be stopped and continued. */
export function ImportProgress({
  lines,
  mode,
  onReset,
}: {
  readonly lines: readonly PlannedLine[]
  readonly mode: ImportMode
  readonly onReset: () => void
}) {
  const [done, setDone] = useState(0)
  const [failed, setFailed] = useState<readonly FailedLine[]>([])
  const [failedNow, setFailedNow] = useState(0)
  const [remaining, setRemaining] = useState(lines)
  const [controller, setController] = useState<AbortController>()
  const isStarted = useRef(false)

  const start = async () => {
    const current = new AbortController()
    setController(current)
    const allowLeaving = confirmLeaving(() =>
      window.confirm('Stop the import and leave this page?'),
    )
    const before = done
    try {
      const result = await runImport(remaining, mode, current.signal, (count, failures) => {
        setDone(before + count)
        setFailedNow(failures)
      })
      setDone(before + result.done)
      setFailed([...failed, ...result.failed])
      setRemaining(result.remaining)
    } finally {
      allowLeaving()
      setFailedNow(0)
      setController(undefined)
    }
  }
  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    start()
  }, [])
  useEffect(() => () => controller?.abort(), [controller])

  const failures = failed.length + failedNow
  const outcome = mode === 'drafts' ? 'saved as drafts' : 'published'
  return (
    <>
      <progress
        aria-label="Products imported"
        value={done + failures}
        max={Math.max(1, lines.length)}
      />
      <p>
        {format(done)} of {format(lines.length)} products {outcome}, {format(failures)} failed
      </p>
      {controller ? (
        <button type="button" class="secondary" onClick={() => controller.abort()}>
          Stop
        </button>
      ) : (
        <>
          {remaining.length > 0 && (
            <Notice kind="warn" title={`Stopped: ${format(remaining.length)} lines were not sent`}>
              <p>Products that were sent are kept. You can continue where the import stopped.</p>
              <button type="button" onClick={start}>
                Continue
              </button>
            </Notice>
          )}
          {remaining.length === 0 && failed.length === 0 && (
            <Notice kind="good" title="The import is complete" />
          )}
          {failed.length > 0 && <FailedLines failed={failed} />}
          <p class="buttons">
            <a class="button" href={catalogueUrl}>
              Go to the catalogue
            </a>
            <button type="button" class="secondary" onClick={onReset}>
              Import another file
            </button>
          </p>
        </>
      )}
    </>
  )
}

function FailedLines({ failed }: { readonly failed: readonly FailedLine[] }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const text = failed.map(({ line: { id, product } }) =>
      JSON.stringify(id === undefined ? product : { product_id: id, ...product }),
    )
    const created = URL.createObjectURL(new Blob([`${text.join('\n')}\n`]))
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [failed])
  return (
    <>
      <Notice
        kind="warn"
        title={`${format(failed.length)} ${failed.length === 1 ? 'line' : 'lines'} failed`}
      >
        <p>Correct them, and import the file with these lines again.</p>
        {url && (
          <a class="button secondary" href={url} download="failed.ndjson">
            Download failed lines
          </a>
        )}
      </Notice>
      <Table
        caption="Failed lines"
        columns={[
          {
            title: 'Line',
            isHeading: true,
            isNumber: true,
            cell: ({ line }) => format(line.number),
          },
          { title: 'Name', cell: ({ line }) => line.name },
          { title: 'Error', cell: ({ message }) => message },
        ]}
        rows={failed.slice(0, shownMax)}
        rowKey={({ line }) => String(line.number)}
      />
      <More count={failed.length - shownMax} />
    </>
  )
}
