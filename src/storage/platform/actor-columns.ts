import type { Actor } from '../../contract/index.ts'
import { optional, type Row, text } from '../sql.ts'

/** The columns of an actor in a row. */
export const actorColumns = { actorId: text, actorName: text, actorIssuer: optional(text) }

/** A row with the actor instead of the columns. */
export function withActor<Item extends Row<typeof actorColumns>>(item: Item) {
  const { actorId, actorName, actorIssuer, ...row } = item
  return { ...row, by: toActor(actorId, actorName, actorIssuer) }
}

export function toActor(id: string, name: string, issuer: string | undefined): Actor {
  return { id, name, ...(issuer !== undefined && { issuer }) }
}

/** The columns of who did something, which is the first part of their names. */
export function authorRow(did: 'changedBy' | 'updatedBy', { id, name, issuer }: Actor) {
  return { [did]: id, [`${did}Name`]: name, [`${did}Issuer`]: issuer }
}
