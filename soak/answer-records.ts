import { findRecords } from '../src/disclosures/find-records.ts'
import type { AnswerRecord } from '../src/disclosures/record.ts'
import { openStatements } from '../src/disclosures/statement.ts'
import { verifyRecords } from '../src/disclosures/verify.ts'
import {
  openConsentStore,
  type openProviderRecords,
  openSigningKeyStore,
} from '../src/storage/open.ts'
import type { Tally } from './tally.ts'

export type ReceivedAnswers = ReturnType<typeof openReceivedAnswers>

/** What clients received for their requests with a valid token. */
export function openReceivedAnswers() {
  const received = new Set<string>()
  let unanswered = 0
  return {
    /** Each request that may get a record, before it is sent. */
    begin(): void {
      unanswered += 1
    },
    /**
     * The whole answer arrived. A 503 is none: if its record was stored too late and the process was killed before it noted
     * that, the record remains.
     */
    end(status: number, interactionId: string): void {
      if (status === 503) return
      unanswered -= 1
      if (status === 200) received.add(interactionId)
    },
    /** The interaction ids of answers with data. */
    ids: (): ReadonlySet<string> => received,
    unanswered: () => unanswered,
  }
}

type Records = Awaited<ReturnType<typeof openProviderRecords>>
type RecordsOpener = (database: string) => Promise<
  Pick<Records, 'close' | 'signingKeys'> & {
    readonly store: Pick<Records['store'], 'list' | 'walk' | 'find'>
  }
>

export async function openPlatformRecords(database: string) {
  const { disclosureRecords: store, close } = await openConsentStore(database)
  const signingKeys = await openSigningKeyStore(database)
  return {
    store,
    signingKeys,
    async close() {
      await signingKeys.close()
      await close()
    },
  }
}

/**
 * Each answer that was received has one record, and the chains verify. A record may exist without an answer, if a process or
 * a connection ended in between: there are no more of these than requests without an answer.
 */
export async function compareRecords(
  { count, fault }: Pick<Tally, 'count' | 'fault'>,
  name: string,
  answers: ReceivedAnswers,
  openRecords: RecordsOpener,
  database: string,
): Promise<void> {
  const { store, signingKeys, close } = await openRecords(database)
  try {
    const missing = new Set(answers.ids())
    const seen = new Set<string>()
    for await (const [records] of findRecords<AnswerRecord>(store, {})) {
      for (const { interactionId, status, isSent } of records) {
        if (status !== 200 || !isSent) continue
        if (seen.has(interactionId))
          fault('wrong', `${name}: the answer ${interactionId} has two records`)
        seen.add(interactionId)
        count(`${name}: records of answers`)
        if (missing.delete(interactionId)) count(`${name}: records of received answers`)
      }
    }
    const surplus = seen.size - (answers.ids().size - missing.size)
    const unanswered = answers.unanswered()
    count(`${name}: requests without an answer`, unanswered)
    count(`${name}: records without a received answer`, surplus)
    if (surplus > unanswered)
      fault('wrong', `${name}: ${surplus} records without an answer, of ${unanswered} requests`)
    for (const id of missing) fault('wrong', `${name}: the answer ${id} has no record`)
    const { broken } = await verifyRecords(store, await openStatements(signingKeys), [], () => {})
    for (const { chain, number, fault: reason } of broken)
      fault('wrong', `${name}: chain ${chain}, block ${number}: ${reason}`)
  } finally {
    await close()
  }
}
