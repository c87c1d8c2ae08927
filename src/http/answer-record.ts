import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TokenUse, UseOutcome } from '../auth/replay-store.ts'
import { isId } from '../contract/ids.ts'
import { ContractError, locateAccounts, type Operation } from '../contract/index.ts'
import { interactionHeader } from '../contract/response-headers.ts'
import type { ProviderRecord } from '../disclosures/record.ts'
import type { Recorder } from '../disclosures/recorder.ts'
import type { RequestInput } from './request.ts'

/** How a provider records what each request with a valid token gets. */
export interface AnswerRecording {
  readonly recorder: Pick<Recorder<ProviderRecord>, 'record' | 'recordWithUse'>
  /** Records the use of a token before the request is handled, with a commit of its own. */
  readonly isUseFirst?: boolean | undefined
}

/** What a request gets. */
export type Answer = Pick<ProviderRecord, 'status'> &
  Partial<
    Pick<
      ProviderRecord,
      'customerId' | 'accountIds' | 'count' | 'error' | 'isRefusal' | 'circumstance' | 'limit'
    >
  >

/** The record of what a request gets, which is made once. */
export interface AnswerRecord {
  /** In place of the replay store, if the use of the token has the same commit. */
  readonly recordUse?: (use: TokenUse) => Promise<UseOutcome>
  /** The token is valid. */
  begin(keyId: string | undefined, tokenRecorded: Promise<void>): void
  /** What the valid request asks for. */
  noteInput(input: RequestInput): void
  /**
   * Resolves when the record is stored, and rejects if the token was used before or the record cannot be stored: only then,
   * respectively not at all, may the answer be sent. Of several answers, the first one counts.
   */
  record(answer: Answer): Promise<void>
  /** The answer is a 503, which has no record. */
  abandon(): void
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent before the token is verified, and if answers are not recorded. */
    answerRecord?: AnswerRecord
  }
}

export function openAnswerRecord(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  { recorder, isUseFirst }: AnswerRecording,
): AnswerRecord {
  const answered = Promise.withResolvers<ProviderRecord>()
  let asked: Pick<ProviderRecord, 'accountIds' | 'oldest' | 'newest'> = { accountIds: [] }
  let keyId: string | undefined
  let tokenRecorded: Promise<void>
  let recorded: Promise<void> | undefined

  const makeRecord = ({ status, accountIds = [], ...answer }: Answer): ProviderRecord => {
    const params = request.params as Readonly<Record<string, string>>
    const { customerId, accountId = params['id'] } = params
    return {
      operation: operation.ref,
      interactionId: String(reply.getHeader(interactionHeader)),
      keyId,
      // No customer has an id of another form, which may also be too long.
      ...(customerId !== undefined && isId(customerId) && { customerId }),
      status,
      ...asked,
      ...(asked.accountIds.length === 0 && {
        accountIds: accountId !== undefined && isId(accountId) ? [accountId] : accountIds,
      }),
      ...answer,
    }
  }

  return {
    ...(!isUseFirst && {
      recordUse: async (use: TokenUse) => recorder.recordWithUse(await answered.promise, use),
    }),
    begin(id, promise) {
      keyId = id
      tokenRecorded = promise
      request.answerRecord = this
    },
    noteInput({ query, body }) {
      const bound = (name: string) =>
        (query[`${name}-time`] ?? query[`${name}-date`]) as string | undefined
      const accountIds =
        locateAccounts(operation) === 'body'
          ? (body as { readonly data: { readonly accountIds: readonly string[] } }).data.accountIds
          : []
      asked = { accountIds, oldest: bound('oldest'), newest: bound('newest') }
    },
    record(answer) {
      if (recorded) return recorded
      if (isUseFirst) recorded = tokenRecorded.then(() => recorder.record(makeRecord(answer)))
      else {
        answered.resolve(makeRecord(answer))
        recorded = tokenRecorded
      }
      return recorded
    },
    abandon() {
      if (recorded) return
      recorded = Promise.reject(new ContractError('unavailable'))
      // There may be no other call.
      recorded.catch(() => {})
    },
  }
}
