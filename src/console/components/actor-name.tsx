import type { Actor, ProductChange } from '../../contract/index.ts'

/** The name of a person, an API client or a command, which identifies them with the pointer on it. */
export function ActorName({ actor: { id, name, issuer } }: { readonly actor: Actor }) {
  const title = issuer === undefined ? id : `${id} at ${issuer}`
  return <bdi title={title}>{name}</bdi>
}

/** The author of a change of a product. */
export function ChangedBy({
  change: { changed_by: id, changed_by_name: name, changed_by_issuer: issuer },
}: {
  readonly change: Pick<ProductChange, 'changed_by' | 'changed_by_name' | 'changed_by_issuer'>
}) {
  return <ActorName actor={{ id, name, ...(issuer !== undefined && { issuer }) }} />
}
