import { useEffect, useRef, useState } from 'preact/hooks'
import { formatCount } from '../labels.ts'
import { useObjectUrl } from '../object-url.ts'
import { useAction } from '../use-action.ts'
import { ButtonLink, SecondaryButton } from './button.tsx'
import { Dialog } from './dialog.tsx'
import type { Titled } from './page-heading.tsx'
import { Problem } from './states.tsx'

interface Page<Row> {
  readonly data: readonly Row[]
  readonly next?: string
}

/** Reads all pages of a list, and offers files that are made of them. */
export function SaveDialog<Row>({
  title,
  noun,
  readPage,
  makeFiles,
  onClose,
  children,
}: Titled & {
  /** Of a row. */
  readonly noun: string
  readonly readPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>
  /** By name. */
  readonly makeFiles: (rows: readonly Row[]) => Readonly<Record<string, Blob>>
  readonly onClose: () => void
}) {
  const [count, setCount] = useState(0)
  const [files, setFiles] = useState<Readonly<Record<string, Blob>>>()
  const { error, run } = useAction()
  const controller = useRef(new AbortController())
  useEffect(() => {
    const { signal } = controller.current
    void run(async () => {
      const rows = await readPages(readPage, signal, setCount)
      if (!signal.aborted) setFiles(makeFiles(rows))
    })
    return () => controller.current.abort()
  }, [])
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {error && <Problem error={error} />}
      {!error && !files && (
        <p>
          <progress aria-label={`${noun}s read`} /> {formatCount(count, noun)} read
        </p>
      )}
      {files && <p role="status">{formatCount(count, noun)} ready.</p>}
      <p class="buttons">
        {Object.entries(files ?? {}).map(([name, file]) => (
          <Save key={name} file={file} name={name} />
        ))}
        <SecondaryButton onClick={onClose}>{files || error ? 'Close' : 'Stop'}</SecondaryButton>
      </p>
    </Dialog>
  )
}

function Save({ file, name }: { readonly file: Blob; readonly name: string }) {
  const url = useObjectUrl(file)
  if (!url) return undefined
  return (
    <ButtonLink href={url} download={name}>
      Save {name}
    </ButtonLink>
  )
}

async function readPages<Row>(
  readPage: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>,
  signal: AbortSignal,
  onProgress: (count: number) => void,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let cursor: string | undefined, isLast = false; !isLast && !signal.aborted; ) {
    const page = await readPage(cursor, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined
      throw error
    })
    rows.push(...(page?.data ?? []))
    cursor = page?.next
    isLast = cursor === undefined
    onProgress(rows.length)
  }
  return rows
}
