import { useEffect, useMemo, useState } from 'preact/hooks'
import { Button, ButtonLink, SecondaryButton, SecondaryLink } from '../../components/button.tsx'
import { Notice } from '../../components/states.tsx'
import { formatCount } from '../../labels.ts'
import { useObjectUrl } from '../../object-url.ts'
import { confirmLeaving } from '../../router.ts'
import { catalogueUrl } from './addresses.ts'
import type { PlannedLine } from './import-plan.ts'
import { type FailedLine, type ImportMode, runImport } from './import-run.ts'
import { LineTable } from './line-table.tsx'

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
        {formatCount(done)} of {formatCount(lines.length)} products {outcome},{' '}
        {formatCount(failures)} failed
      </p>
      {controller ? (
        <SecondaryButton onClick={() => controller.abort()}>Stop</SecondaryButton>
      ) : (
        <>
          {remaining.length > 0 && (
            <Notice
              kind="warn"
              title={`Stopped: ${formatCount(remaining.length)} lines were not sent`}
            >
              <p>Products that were sent are kept. You can continue where the import stopped.</p>
              <Button onClick={start}>Continue</Button>
            </Notice>
          )}
          {remaining.length === 0 && failed.length === 0 && (
            <Notice kind="good" title="The import is complete" />
          )}
          {failed.length > 0 && <FailedLines failed={failed} />}
          <p class="buttons">
            <ButtonLink href={catalogueUrl}>Go to the catalogue</ButtonLink>
            <SecondaryButton onClick={onReset}>Import another file</SecondaryButton>
          </p>
        </>
      )}
    </>
  )
}

function FailedLines({ failed }: { readonly failed: readonly FailedLine[] }) {
  const file = useMemo(() => {
    const lines = failed.map(({ id, product }) => ({ product_id: id, ...product }))
    return new Blob(lines.map((line) => `${JSON.stringify(line)}\n`))
  }, [failed])
  const url = useObjectUrl(file)
  return (
    <>
      <Notice kind="warn" title={`${formatCount(failed.length, 'line')} failed`}>
        <p>Correct them, and import the file with these lines again.</p>
        {url && (
          <SecondaryLink href={url} download="failed.ndjson">
            Download failed lines
          </SecondaryLink>
        )}
      </Notice>
      <LineTable
        caption="Failed lines"
        lines={failed}
        columns={[
          { title: 'Name', isHeading: true, cell: ({ name }) => name },
          { title: 'Error', cell: ({ message }) => message },
        ]}
      />
    </>
  )
}
