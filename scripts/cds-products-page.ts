import { type CdsScalarName, cdsScalars } from '../src/contract/cds/field-types.ts'
import {
  type CdsField,
  type CdsObject,
  type CdsType,
  cdsDetailVersions,
  cdsListVersions,
  restructuredIn,
  toCdsName,
  toDetailVersion,
} from '../src/contract/cds/mapping.ts'
import { cdsProduct } from '../src/contract/cds/product-fields.ts'
import { page, table } from './markdown.ts'

/** How products of the catalogue are published in each version of the standards, and what each version lacks. */
export function cdsProductsPage(): string {
  const objects = collectObjects(cdsProduct)
  return page(
    '# Published products',
    `How a product of the catalogue ([ProductInput](records.md#productinput)) is published in the Consumer Data Standards: versions ${inWords(cdsListVersions)} of Get Products and ${inWords(cdsDetailVersions)} of Get Product Detail. The name of a field in the standards is its name in the catalogue in camelCase. The catalogue has no \`brandGroup\`, so that optional field is never published.`,
    'A product is published only if it has every field that the newest version requires, in the format of the standards. Otherwise it has publication faults, which name these fields. A product without faults is valid in every version.',
    '## Differences between versions',
    'Answers in an older version are derived from the newest one. A type that an older version replaces is added to `additionalInfo` with its value, such as `LATE_PAYMENT 14: text`. The versions are those of Get Product Detail.',
    `${cdsListVersions.map((version) => `Version ${version} of Get Products corresponds to version ${toDetailVersion(version)}`).join('. ')}.`,
    table(
      ['Object', 'Content', 'Versions', 'In earlier versions'],
      objects.flatMap(listDifferences),
    ),
    ...objects.flatMap(([object, paths]) => [
      `## ${paths[0] === '' ? 'Product' : paths.map((path) => `\`${path}\``).join(', ')}`,
      table(
        [
          'Catalogue',
          'Standards',
          'Value',
          'Required for publication',
          ...(object === cdsProduct ? ['Get Products'] : []),
        ],
        Object.entries(object.fields).map(([name, field]) => [
          `\`${name}\``,
          `\`${toCdsName(name)}\``,
          describeType(field.type),
          describeRequirement(field),
          ...(object === cdsProduct ? [field.inList ? 'yes' : ''] : []),
        ]),
      ),
    ]),
  )
}

type Located = readonly [object: CdsObject, paths: readonly string[]]

/** Every object with the paths at which it occurs, in the order of the fields. */
function collectObjects(root: CdsObject): Located[] {
  const found = new Map<CdsObject, string[]>()
  const visit = (object: CdsObject, path: string) => {
    found.set(object, [...(found.get(object) ?? []), path])
    for (const [name, { type }] of Object.entries(object.fields)) {
      const inner = findObject(type)
      if (inner) visit(inner, path === '' ? toCdsName(name) : `${path}.${toCdsName(name)}`)
    }
  }
  visit(root, '')
  return [...found]
}

function findObject(type: CdsType): CdsObject | undefined {
  if (typeof type === 'string') return undefined
  if ('object' in type) return type.object
  return 'list' in type && typeof type.list === 'object' ? type.list : undefined
}

function listDifferences([object, paths]: Located): string[][] {
  const { restructured } = object
  const name = paths[0] === '' ? 'product' : paths.map((path) => `\`${path}\``).join(', ')
  const structure = restructured
    ? [[name, 'structure', `since ${restructuredIn}`, restructured.description]]
    : []
  const fields = Object.entries(object.fields).flatMap(([field, { since, type }]) => [
    ...(since === undefined
      ? []
      : [[name, `\`${toCdsName(field)}\``, `since ${since}`, 'the field is omitted']]),
    ...listAddedValues(type).map(([value, version, before]) => [
      name,
      `\`${toCdsName(field)}: ${value}\``,
      `since ${version}`,
      before,
    ]),
  ])
  return [...structure, ...fields]
}

function listAddedValues(type: CdsType): [value: string, version: number, before: string][] {
  if (typeof type === 'string' || !('oneOf' in type)) return []
  const { added = {}, before } = type
  return Object.entries(added).map(([value, version]) => [
    value,
    version,
    before === undefined
      ? 'the field is omitted'
      : before === 'omitObject'
        ? 'the object is omitted'
        : `\`${before[value]}\``,
  ])
}

function describeType(type: CdsType): string {
  if (typeof type === 'string') return cdsScalars[type].mustBe
  if ('oneOf' in type) return `one of ${type.oneOf.join(', ')}`
  if ('object' in type) return 'an object'
  if ('list' in type) return 'a list'
  const types = Object.keys(type.formats)
  const byFormat = Map.groupBy(types, (value) => type.formats[value] as CdsScalarName)
  const formats = [...byFormat].map(
    ([format, members]) => `${cdsScalars[format].mustBe} for ${members.join(', ')}`,
  )
  const isComplete = type.otherwise === 'text'
  return [
    ...formats,
    ...(isComplete ? [] : [`otherwise ${cdsScalars[type.otherwise].mustBe}`]),
  ].join('; ')
}

function describeRequirement({ mandatory, isAssigned }: CdsField): string {
  if (isAssigned) return 'set by the server'
  if (mandatory === undefined) return ''
  if (mandatory === true) return 'yes'
  const { field, is } = mandatory
  return `if \`${field}\` is ${is ? `${is.length > 1 ? 'one of ' : ''}${is.join(', ')}` : 'present'}`
}

function inWords(versions: readonly number[]): string {
  return `${versions.slice(0, -1).join(', ')} and ${versions.at(-1)}`
}
