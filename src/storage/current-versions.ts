/**
 * The products with their current versions, for both engines: `p` is a product and `v` its version. Migrations state the
 * join themselves, since they do not change once they are released.
 */
export const currentVersions =
  'product p join product_version v on v.product = p.id and v.version = p.version'
