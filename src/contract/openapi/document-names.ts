/** The servers of Holdfast. Each has its own document. */
export const documentNames = ['provider', 'platform', 'intake'] as const

/** Where a platform serves the documents of all servers: a browser may not reach the others. */
export const documentPaths = {
  provider: '/openapi/provider.json',
  platform: '/openapi/platform.json',
  intake: '/openapi/intake.json',
} as const satisfies Record<DocumentName, string>

export type DocumentName = (typeof documentNames)[number]
