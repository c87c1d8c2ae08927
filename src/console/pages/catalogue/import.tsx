import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../../api.ts'
import { Field } from '../../components/field.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Notice, Problem } from '../../components/states.tsx'
import { formatCount } from '../../labels.ts'
import { catalogueCrumbs } from './addresses.ts'
import { FileError, type InvalidLine, readImportFile } from './import-file.ts'
import { type PlannedLine, planImport } from './import-plan.ts'
import { ImportPreview } from './import-preview.tsx'
import { ImportProgress } from './import-progress.tsx'
import type { ImportMode } from './import-run.ts'

interface Preview {
  readonly file: string
  readonly lines: readonly PlannedLine[]
  readonly invalid: readonly InvalidLine[]
}

/** Choose a file, review what it would do, import it. */
export function View() {
  const [preview, setPreview] = useState<Preview>()
  const [mode, setMode] = useState<ImportMode>()
  const [read, setRead] = useState<number>()
  const [error, setError] = useState<Error>()
  const controller = useRef<AbortController>(undefined)
  useEffect(() => () => controller.current?.abort(), [])

  const open = async (file: File | undefined) => {
    controller.current?.abort()
    setPreview(undefined)
    setError(undefined)
    if (!file) return
    const current = new AbortController()
    controller.current = current
    setRead(0)
    try {
      const { lines, invalid } = await readImportFile(file, current.signal, setRead)
      const planned = await planImport(lines, current.signal)
      setPreview({ file: file.name, lines: planned, invalid })
    } catch (thrown) {
      if (current.signal.aborted) return
      setError(thrown as Error)
    }
    setRead(undefined)
  }

  return (
    <>
      <PageHeading title="Import products" crumbs={catalogueCrumbs} />
      {mode !== undefined && preview ? (
        <ImportProgress
          lines={preview.lines}
          mode={mode}
          onReset={() => {
            setMode(undefined)
            setPreview(undefined)
          }}
        />
      ) : (
        <>
          <p>
            Choose a file with one product per line: the JSON of a product, or a line of{' '}
            <em>Export</em> or <code>holdfast dump</code>. Nothing is changed before you confirm.
          </p>
          <Field label="File (NDJSON)">
            {(control) => (
              <input
                {...control}
                type="file"
                accept=".ndjson,.jsonl,.json,application/x-ndjson"
                onChange={(event) => open(event.currentTarget.files?.[0])}
              />
            )}
          </Field>
          {read !== undefined && <p role="status">Reading the file: {formatCount(read)} lines</p>}
          {error && <ImportError error={error} />}
          {preview && <ImportPreview {...preview} onStart={setMode} />}
        </>
      )}
    </>
  )
}

function ImportError({ error }: { readonly error: Error }) {
  if (error instanceof ApiError) return <Problem error={error} />
  return (
    <Notice
      kind="bad"
      title={error instanceof FileError ? error.message : 'The file could not be read.'}
    >
      <p>Choose another file.</p>
    </Notice>
  )
}
