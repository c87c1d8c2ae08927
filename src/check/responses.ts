import { errorTable } from '../contract/index.ts'
import { isObject } from '../contract/schema.ts'
import type { CheckContext } from './context.ts'
import type { Check } from './definition.ts'
import type { HttpResponse } from './http-client.ts'
import { checkEach, fail } from './outcome.ts'

export function readError({ body }: HttpResponse): unknown {
  return isObject(body) ? body['error'] : undefined
}

export function formatStatus({ status }: HttpResponse): string {
  return status === 0 ? 'no response' : String(status)
}

/** The interface defines no statuses, so any status from 400 to 499 rejects a request. */
export function isRejection({ status }: HttpResponse): boolean {
  return status >= 400 && status < 500
}

const missingRecords: readonly unknown[] = [
  errorTable.balance_in_query_not_found.message,
  errorTable.balance_not_found.message,
  errorTable.contact_not_found.message,
]

/** Whether the account exists, and has no such record. */
export function isMissingRecord(response: HttpResponse): boolean {
  return isRejection(response) && missingRecords.includes(readError(response))
}

export function expectRejection(
  ref: string,
  subject: string,
  response: HttpResponse,
  text?: string,
): void {
  if (isRejection(response) && (text === undefined || readError(response) === text)) return
  fail(
    `${ref}: ${subject} returned ${formatStatus(response)} ${JSON.stringify(readError(response)) ?? ''}`.trimEnd(),
    {
      expected:
        text === undefined
          ? 'a rejection with any status from 400 to 499'
          : `a status from 400 to 499 and {"error": "${text}"}`,
      evidence: [response],
    },
  )
}

/**
 * Runs a check on several operations or lists, and reports the statuses of the responses that it returns: the interface
 * leaves them open.
 */
export function reportStatuses<Target extends { readonly ref: string }>(
  ofHoldfast: number,
  findTargets: (context: CheckContext) => readonly Target[],
  check: (context: CheckContext, target: Target) => Promise<readonly HttpResponse[]>,
): Pick<Check, 'choice' | 'run'> {
  return {
    choice: { ofHoldfast: `status ${ofHoldfast}`, decision: '0001-http-statuses' },
    async run(context) {
      const statuses = new Set<number>()
      const { seen } = await checkEach(findTargets(context), async (target) => {
        for (const { status } of await check(context, target)) statuses.add(status)
      })
      return {
        seen: `status ${[...statuses].join(', ')}; ${seen}`,
        isHoldfastChoice: [...statuses].every((status) => status === ofHoldfast),
      }
    },
  }
}
