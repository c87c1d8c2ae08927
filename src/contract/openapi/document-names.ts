/** The servers of Holdfast. Each has its own document. */
export const documentNames = ['provider', 'platform', 'intake'] as const

/** All documents. A third party uses a part of the platform that is not in the interface. */
export const publishedDocumentNames = [...documentNames, 'third-party'] as const

/** Where a platform serves all documents: a browser may not reach the other servers. */
export const documentPaths = {
  provider: '/openapi/provider.json',
  platform: '/openapi/platform.json',
  intake: '/openapi/intake.json',
  'third-party': '/openapi/third-party.json',
} as const satisfies Record<PublishedDocumentName, string>

export type DocumentName = (typeof documentNames)[number]
export type PublishedDocumentName = (typeof publishedDocumentNames)[number]
