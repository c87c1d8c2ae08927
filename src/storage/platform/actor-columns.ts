import type { Actor } from '../../contract/index.ts'
import { optional, type Row, text, type Value } from '../sql.ts'

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

/** The values of the columns, in their order. */
export function toActorValues({ id, name, issuer }: Actor): Value[] {
  return [id, name, issuer]
}
