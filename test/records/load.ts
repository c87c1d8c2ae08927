import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Deployment } from '../support/deployment.ts'
import { accountsPath } from '../support/small-bank.ts'
import { type Exported, openRecordCommands, type Side } from './recording.ts'

const clientCount = 4

/** Clients of a provider that send requests one after another, and note what they got. */
export function startClients(
  { ask }: Pick<Deployment, 'ask'>,
  server: { readonly address: string },
) {
  return startSenders(async (interactionId) => {
    const response = await ask(server, accountsPath, { 'x-fapi-interaction-id': interactionId })
    await response.text()
    return response.status
  })
}

/** Clients that send requests one after another, and note what they got. `request` returns the status of an answer. */
export function startSenders(request: (interactionId: string) => Promise<number>) {
  const statuses = new Map<string, number>()
  let isStopped = false
  const send = async (): Promise<void> => {
    const interactionId = randomUUID()
    try {
      statuses.set(interactionId, await request(interactionId))
    } catch {
      // The server ended, so that there is no answer.
      isStopped = true
    }
  }
  const clients = Array.from({ length: clientCount }, async () => {
    while (!isStopped) await send()
  })
  return {
    count: (status: number) => list(status).length,
    /** The statuses other than 200. */
    others: () => new Set([...statuses.values()].filter((status) => status !== 200)),
    received: () => list(200).sort(),
    async stop() {
      isStopped = true
      await Promise.all(clients)
    },
    ended: Promise.all(clients),
  }

  function list(status: number): string[] {
    return [...statuses].flatMap(([id, each]) => (each === status ? [id] : []))
  }
}

/** The interaction ids of the recorded answers that were sent with the data. No record is there twice. */
export async function listSent(database: string, side?: Side): Promise<string[]> {
  const records = await openRecordCommands(database, side).list()
  const ids = records.map(readId)
  assert.equal(new Set(ids).size, ids.length, 'an answer has two records')
  return records
    .filter(({ isSent, status }) => isSent === true && status === 200)
    .map(readId)
    .sort()
}

const readId = ({ interactionId }: Exported): string => String(interactionId)
