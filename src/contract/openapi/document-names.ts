/** The servers of Holdfast. Each has its own document. */
export const documentNames = ['provider', 'platform', 'intake'] as const
export type DocumentName = (typeof documentNames)[number]
