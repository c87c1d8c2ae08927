const variants = ['store', 'source', 'guard'] as const
export type Variant = (typeof variants)[number]

/**
 * What serves the requests in tests of a provider. The tests of tokens and of HTTP run once for each; only those of the
 * store run on all engines.
 */
export const variant: Variant =
  variants.find((name) => name === process.env['PROVIDER_FOR_TESTS']) ?? 'store'
