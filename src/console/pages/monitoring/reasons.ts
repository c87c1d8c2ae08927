import { rejectionTable, thirdPartyRejectionTitles } from '../../../contract/rejection-reasons.ts'
import { requestLimits } from '../../../contract/request-limits.ts'
import { describeStatus } from '../../statuses.ts'

/** Why a request was rejected, by the reason in the log. */
const titles: ReadonlyMap<string, string> = new Map([
  ...Object.entries(rejectionTable).map(([reason, { title }]) => [reason, title] as const),
  ...Object.entries(thirdPartyRejectionTitles),
  ...Object.entries(requestLimits).map(
    ([limit, counted]) => [`over the limit ${limit}`, `Over a limit: ${counted}`] as const,
  ),
  ['overloaded', 'Server is overloaded'],
  ['the client closed the connection', 'Client closed the connection before the response'],
  // The error codes of OAuth 2.0.
  ['invalid_request', 'Token request is not valid'],
  ['unsupported_grant_type', 'Grant type is not supported'],
  ['invalid_scope', 'Scope is not valid'],
  ['invalid_client', 'Client could not be authenticated'],
])

/** Of the pages for customers, which have forms instead of errors in JSON. */
const pageTitles: ReadonlyMap<number, string> = new Map([
  [403, 'A page was opened from another site or without its cookie'],
  [404, 'A page does not exist'],
  [409, 'A page belongs to a consent that has ended'],
  [410, 'A page was opened too late'],
  [422, 'A customer entered something that the page did not accept'],
  [429, 'A customer tried too often'],
])

/** A heading in plain words. Undefined if the reason is in plain words itself. */
export function explainReason(reason: string): string | undefined {
  const status = /^status (\d{3})$/.exec(reason)?.[1]
  if (status === undefined) return titles.get(reason)
  return pageTitles.get(Number(status)) ?? describeStatus(Number(status))
}
