import type { Actor } from '../../contract/index.ts'
import { optional, type Row, text } from '../sql.ts'

/** The columns of an actor in a row. */
export const actorColumns = { actorId: text, actorName: text, actorIssuer: optional(text) }

/** A row with the actor instead of the columns. */
export function withActor<Item extends Row<typeof actorColumns>>({
  actorId,
  actorName,
  actorIssuer,
  ...row
}: Item) {
  return { ...row, by: toActor({ actorId, actorName, actorIssuer }) }
}

export function toActor({
  actorId,
  actorName,
  actorIssuer,
}: {
  readonly actorId: string
  readonly actorName: string
  readonly actorIssuer: string | undefined
}): Actor {
  return {
    id: actorId,
    name: actorName,
    ...(actorIssuer !== undefined && { issuer: actorIssuer }),
  }
}

/** The columns of who did something, which is the first part of their names. */
export function authorRow(did: 'changedBy' | 'updatedBy', { id, name, issuer }: Actor) {
  return { [did]: id, [`${did}Name`]: name, [`${did}Issuer`]: issuer }
}
