import type { DatabaseSync } from 'node:sqlite'
import { emailKey } from '../../../contract/email-key.ts'
import { toEpochMilliseconds } from '../../../platform/catalogue/product.ts'
import { type SummaryTexts, summarizeTexts } from '../../../platform/catalogue/summary.ts'

/**
 * SQL functions that the migrations use. Node keeps all arguments in memory until a migration ends, so the migration of
 * the summaries passes parts of a record instead of the record.
 */
export function defineFunctions(database: DatabaseSync): void {
  database.function('email_key', (record) =>
    emailKey((JSON.parse(String(record)) as { email: string }).email),
  )
  database.function('summary_text', (text, id, nameJson, brandJson) => {
    const [name, brand] = [nameJson, brandJson].map((json) => JSON.parse(String(json)))
    return summarizeTexts(String(id), { name, brand })[text as keyof SummaryTexts]
  })
  database.function('effective_time', (time) =>
    time === null ? null : (toEpochMilliseconds(String(time)) ?? null),
  )
}
