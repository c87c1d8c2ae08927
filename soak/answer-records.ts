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

/** The answers with data that clients received, by the interaction id. */
export function openReceivedAnswers() {
  const received = new Set<string>()
  return {
    add: (interactionId: string) => void received.add(interactionId),
    ids: (): ReadonlySet<string> => received,
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
 * a connection ended in between.
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
    for (const id of missing) fault('wrong', `${name}: the answer ${id} has no record`)
    const { broken } = await verifyRecords(store, await openStatements(signingKeys), [], () => {})
    for (const { chain, number, fault: reason } of broken)
      fault('wrong', `${name}: chain ${chain}, block ${number}: ${reason}`)
  } finally {
    await close()
  }
}
