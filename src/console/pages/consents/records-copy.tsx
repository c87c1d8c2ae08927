import { useEffect, useRef, useState } from 'preact/hooks'
import type { DescribedRecord } from '../../../contract/index.ts'
import { listCustomerRecords } from '../../../contract/operations/consents.ts'
import {
  formatCopyHeader,
  formatCopyHtml,
  formatCopyRow,
} from '../../../platform/consent/records-copy.ts'
import { read } from '../../api.ts'
import { ButtonLink, SecondaryButton } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Problem } from '../../components/states.tsx'
import { formatCount } from '../../labels.ts'
import { useObjectUrl } from '../../object-url.ts'
import { useAction } from '../../use-action.ts'

interface Copy {
  readonly count: number
  readonly html: Blob
  readonly csv: Blob
}

/** Reads what was shared of a customer, and offers it in the words that the customer reads. */
export function RecordsCopy({
  customerId,
  onClose,
}: {
  readonly customerId: string
  readonly onClose: () => void
}) {
  const [count, setCount] = useState(0)
  const [copy, setCopy] = useState<Copy>()
  const { error, run } = useAction()
  const controller = useRef(new AbortController())
  useEffect(() => {
    const { signal } = controller.current
    void run(async () => {
      const records = await readRecords(customerId, signal, setCount)
      if (!signal.aborted) setCopy(makeCopy(customerId, records))
    })
    return () => controller.current.abort()
  }, [])
  return (
    <Dialog title="Copy for the customer" onClose={onClose}>
      <p>
        Each time a service asked for the data of this customer, in the words that the customer
        reads at <code>/consents/records</code>.
      </p>
      {error && <Problem error={error} />}
      {!error && !copy && (
        <p>
          <progress aria-label="Records read" /> {formatCount(count, 'record')} read
        </p>
      )}
      {copy && <p role="status">{formatCount(copy.count, 'record')} ready.</p>}
      <p class="buttons">
        <Save file={copy?.html} name="records.html" />
        <Save file={copy?.csv} name="records.csv" />
        <SecondaryButton onClick={onClose}>{copy || error ? 'Close' : 'Stop'}</SecondaryButton>
      </p>
    </Dialog>
  )
}

function Save({ file, name }: { readonly file: Blob | undefined; readonly name: string }) {
  const url = useObjectUrl(file)
  if (!url) return undefined
  return (
    <ButtonLink href={url} download={name}>
      Save {name}
    </ButtonLink>
  )
}

/** The oldest first. */
async function readRecords(
  customerId: string,
  signal: AbortSignal,
  onProgress: (count: number) => void,
): Promise<readonly DescribedRecord[]> {
  const records: DescribedRecord[] = []
  for (let cursor: string | undefined, isLast = false; !isLast && !signal.aborted; ) {
    const page = await read(listCustomerRecords, {
      params: { customerId },
      query: { cursor },
      signal,
    }).catch((error: unknown) => {
      if (signal.aborted) return undefined
      throw error
    })
    records.push(...(page?.data ?? []))
    cursor = page?.next
    isLast = cursor === undefined
    onProgress(records.length)
  }
  return records.reverse()
}

function makeCopy(customerId: string, records: readonly DescribedRecord[]): Copy {
  return {
    count: records.length,
    html: new Blob([formatCopyHtml(customerId, records)], { type: 'text/html' }),
    csv: new Blob([formatCopyHeader(), ...records.map(formatCopyRow)], { type: 'text/csv' }),
  }
}
