/** A product `p` and its current version `v`. A migration states the join itself, as it never changes. */
export const currentVersions =
  'product p join product_version v on v.product = p.id and v.version = p.version'
