import { isId } from '../contract/ids.ts'
import type { FoundRecords } from '../provider/observe-reads.ts'

/** A larger body is not parsed, which would delay other requests. */
const bytesMax = 512 * 1024

/** The members of a body of the interface that say what it discloses. An upstream may send others. */
interface Body {
  readonly data?: unknown
  /** Of a list with pages. */
  readonly meta?: unknown
  /** Of C2. */
  readonly accounts?: unknown
}

/** What the body of a response from an upstream discloses; undefined if it is unknown. */
export function findRecordsInBody(body: Uint8Array): FoundRecords | undefined {
  if (body.length === 0) return { count: 0 }
  const value = body.length > bytesMax ? undefined : parse(body)
  if (typeof value !== 'object' || value === null) return undefined
  const { data, meta, accounts } = value as Body
  // C1 finds customers.
  if (Array.isArray(data)) {
    const [customerId] = data.length === 1 ? listIds(data, 'id') : []
    return { count: data.length, ...(customerId !== undefined && { customerId }) }
  }
  const shareable = Array.isArray(accounts) ? accounts : undefined
  const listed = meta === undefined ? undefined : Object.values(data ?? {}).find(Array.isArray)
  const records: readonly unknown[] | undefined = shareable ?? listed
  if (!records) return { count: 1 }
  const ids = listIds(records, shareable ? 'id' : 'accountId')
  return { count: records.length, accountIds: [...new Set(ids)] }
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

function listIds(records: readonly unknown[], field: string): readonly string[] {
  return records.flatMap((record) => {
    const id = (record as Readonly<Record<string, unknown>> | null)?.[field]
    return typeof id === 'string' && isId(id) ? [id] : []
  })
}
