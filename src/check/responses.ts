import { isObject } from '../contract/schema.ts'
import type { HttpResponse } from './http-client.ts'
import { checkEach, fail, type Passed } from './outcome.ts'

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
 * Runs a check on several operations or lists. Reports the statuses that the check adds, which the interface leaves
 * open; `ours` is the status that Holdfast returns.
 */
export async function checkStatuses<Target extends { readonly ref: string }>(
  targets: readonly Target[],
  ours: number,
  check: (target: Target, statuses: Set<number>) => Promise<void>,
): Promise<Passed> {
  const statuses = new Set<number>()
  const passed = await checkEach(targets, (target) => check(target, statuses))
  return {
    ...passed,
    choice: {
      seen: `status ${[...statuses].join(', ')}; ${passed.seen}`,
      isOurs: [...statuses].every((status) => status === ours),
      ours: `status ${ours}`,
      decision: '0001-http-statuses',
    },
  }
}
