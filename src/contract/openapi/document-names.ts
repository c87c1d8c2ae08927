/** The servers of Holdfast. Each has its own document. */
export const documentNames = ['provider', 'platform'] as const
export type DocumentName = (typeof documentNames)[number]
