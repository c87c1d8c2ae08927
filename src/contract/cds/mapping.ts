import type { CdsScalarName } from './field-types.ts'
import type { SeparatePrices } from './separate-prices.ts'

/** The versions of Get Products and Get Product Detail that are served. */
export const cdsListVersions = [3, 4, 5] as const
export const cdsDetailVersions = [4, 5, 6, 7] as const

export type CdsListVersion = (typeof cdsListVersions)[number]
export type CdsDetailVersion = (typeof cdsDetailVersions)[number]

/** The detail version with the same structure: a list version has a part of its fields. */
export function toDetailVersion(version: CdsListVersion): CdsDetailVersion {
  return ({ 3: 5, 4: 6, 5: 7 } as const)[version]
}

/** The name in the standards: the catalogue's in camelCase. */
export function toCdsName(field: string): string {
  return field.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase())
}

/** The value of another field of the object, or, without `is`, its presence. */
export interface CdsCondition {
  readonly field: string
  readonly is?: readonly string[]
}

/** A field of the catalogue. Its name in the standards is the same in camelCase. */
export interface CdsField {
  readonly type: CdsType
  /** Mandatory in the newest version, always or on a condition. */
  readonly mandatory?: true | CdsCondition
  /** The first detail version with the field. Default: all of them. */
  readonly since?: CdsDetailVersion
  /** Also in the list. */
  readonly inList?: true
  /** The server sets it. */
  readonly isAssigned?: true
}

export type CdsFields = Readonly<Record<string, CdsField>>

export type CdsType =
  | CdsScalarName
  | CdsEnumeration
  | { readonly object: CdsObject }
  | { readonly list: CdsObject | CdsScalarName }
  | CdsDependentType

export interface CdsEnumeration {
  readonly oneOf: readonly string[]
  /** Values that earlier versions do not have, with their first detail version. */
  readonly added?: Readonly<Record<string, CdsDetailVersion>>
  /** What earlier versions omit, or contain instead. Default: they omit the field. */
  readonly before?: 'omitObject' | Readonly<Record<string, string>>
}

/** A format that depends on the value of another field. */
export interface CdsDependentType {
  readonly by: string
  readonly formats: Readonly<Record<string, CdsScalarName>>
  readonly otherwise: CdsScalarName
}

export interface CdsObject {
  readonly fields: CdsFields
  /** Several objects for an element of a list that has several prices. */
  readonly separate?: (object: Record<string, unknown>) => SeparatePrices
  /** The change of structure between detail versions 5 and 6. `upgrade` leaves the newer structure as it is. */
  readonly restructured?: {
    readonly description: string
    readonly downgrade: (object: unknown) => unknown
    readonly upgrade: (object: unknown) => unknown
  }
}

/** The detail version that changed the structure of fees and rates. */
export const restructuredIn = 6

export const mandatory = true

/** `additional_value` by type. The types in `formats` require it, the others do not use it. */
export function explainedBy(by: string, formats: Readonly<Record<string, CdsScalarName>>) {
  return {
    additional_value: {
      type: { by, formats, otherwise: 'text' },
      mandatory: { field: by, is: Object.keys(formats) },
    },
    additional_info: { type: 'text', mandatory: { field: by, is: ['OTHER'] } },
    additional_info_uri: { type: 'uri' },
  } as const satisfies CdsFields
}

/** The format that the other field selects. */
export function findFormat(
  { by, formats, otherwise }: CdsDependentType,
  siblings: Readonly<Record<string, unknown>>,
): CdsScalarName {
  const value = siblings[by]
  return (typeof value === 'string' && Object.hasOwn(formats, value) && formats[value]) || otherwise
}

export function isLater(since: CdsField['since'], version: CdsDetailVersion): boolean {
  return since !== undefined && since > version
}

/** The values of an enumeration that a version does not have. */
export function listAbsentValues(
  { added = {} }: CdsEnumeration,
  version: CdsDetailVersion,
): string[] {
  return Object.keys(added).filter((value) => isLater(added[value], version))
}
