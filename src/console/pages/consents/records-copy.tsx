import type { DescribedRecord } from '../../../contract/index.ts'
import { listCustomerRecords } from '../../../contract/operations/consents.ts'
import { csvCopy, formatCopy, openHtmlCopy } from '../../../platform/consent/records-copy.ts'
import { read } from '../../api.ts'
import { SaveDialog } from '../../components/save-dialog.tsx'

/** Reads what was shared of a customer, and offers it in the words that the customer reads. */
export function RecordsCopy({
  customerId,
  onClose,
}: {
  readonly customerId: string
  readonly onClose: () => void
}) {
  return (
    <SaveDialog
      title="Copy for the customer"
      noun="record"
      readPage={(cursor, signal) =>
        read(listCustomerRecords, { params: { customerId }, query: { cursor }, signal })
      }
      makeFiles={(newestFirst) => makeCopy(customerId, newestFirst.toReversed())}
      onClose={onClose}
    >
      <p>
        Each time a service asked for the data of this customer, in the words that the customer
        reads at <code>/consents/records</code>.
      </p>
    </SaveDialog>
  )
}

function makeCopy(customerId: string, records: readonly DescribedRecord[]) {
  return {
    'records.html': new Blob([formatCopy(openHtmlCopy(customerId), records)], {
      type: 'text/html',
    }),
    'records.csv': new Blob([formatCopy(csvCopy, records)], { type: 'text/csv' }),
  }
}
