import type { TSchema } from 'typebox'
import {
  definitions,
  flagOf,
  roles,
  type SettingName,
  settingNames,
  variableOf,
} from '../src/cli/settings.ts'
import { type ErrorCode, errorTable } from '../src/contract/errors.ts'
import { type Base, errorsOf, type Operation } from '../src/contract/operation.ts'
import { operations } from '../src/contract/operations/index.ts'
import { recordTypes } from '../src/contract/records/index.ts'
import { sentence } from '../src/contract/rules.ts'
import { type Node, nodeOf } from '../src/contract/schema.ts'
import { expectation } from '../src/contract/validate.ts'
import { loadMetrics, type MetricDefinition, serverMetrics } from '../src/observe/metric-table.ts'
import { checksPage } from './checks-page.ts'
import { page, table } from './markdown.ts'

/** The pages of docs/reference by path. They say what the code says, and state nothing of their own. */
export function referencePages(): Map<string, string> {
  return new Map([
    ['docs/reference/operations.md', operationsPage()],
    ['docs/reference/records.md', recordsPage()],
    ['docs/reference/errors.md', errorsPage()],
    ['docs/reference/settings.md', settingsPage()],
    ['docs/reference/metrics.md', metricsPage()],
    ['docs/reference/checks.md', checksPage()],
  ])
}

const tagTitles: Record<Operation['tag'], string> = {
  banking: 'Banking',
  energy: 'Energy',
  contact: 'Account contact',
  consent: 'Consent flow',
  catalogue: 'Product catalogue',
  access: 'Tokens and keys of the platform',
}

const baseAddresses: Record<Base, string> = {
  provider: `the data provider’s, ${settingLink('providerUrl')}`,
  resource: `the contact endpoint’s, ${settingLink('resourceUrl')}`,
  platform: 'the platform’s',
}

/** In the order of the interface. A tag's operations stand together already. */
const operationsByTag = Map.groupBy(
  Object.entries<Operation>(operations).sort(([, a], [, b]) =>
    a.tag === b.tag ? (a.ref < b.ref ? -1 : 1) : 0,
  ),
  ([, { tag }]) => tag,
)
const operationsInOrder = [...operationsByTag.values()].flat()

function operationsPage(): string {
  const rows = operationsInOrder.map(([id, operation]) => [
    operationLink(id, operation),
    `\`${operation.method} ${operation.path}\``,
    operation.summary + (operation.deprecated ? ' (deprecated)' : ''),
  ])
  const sections = [...operationsByTag].flatMap(([tag, group]) => [
    `## ${tagTitles[tag]}`,
    ...group.flatMap(([id, operation]) => operationSection(id, operation)),
  ])
  return page(
    '# Operations',
    'Every endpoint, by the reference that the interface gives it. The name beside the reference is the one it has in the OpenAPI document and in the code. Bodies and answers are JSON.',
    table(['Reference', 'Request', 'What it does'], rows),
    ...sections,
  )
}

function operationSection(id: string, operation: Operation): string[] {
  const { base, body, deprecated, description, form, headers = {}, response, status } = operation
  const answer = response ? mustBe(nodeOf(response), 'records.md') : 'without a body'
  const facts = [
    `Base address: ${baseAddresses[base]}`,
    `Protection: ${protectionOf(operation)}`,
    ...(body ? [`Body: ${mustBe(nodeOf(body), 'records.md')}`] : []),
    ...(form ? [`Body as a form: ${mustBe(nodeOf(form), 'records.md')}`] : []),
    `Answer: ${status}, ${answer}`,
    ...Object.entries(headers).map(([name, says]) => `Header \`${name}\` of the answer: ${says}`),
  ]
  return [
    `### ${titleOf(id, operation)}`,
    `\`${operation.method} ${operation.path}\``,
    [`${operation.summary}.`, description].filter(Boolean).join(' '),
    ...(deprecated ? [deprecationNote(deprecated)] : []),
    facts.map((fact) => `- ${fact}`).join('\n'),
    ...parametersTable(operation),
    errorsTable(errorsOf(operation).sort((a, b) => errorTable[a].status - errorTable[b].status)),
  ]
}

function deprecationNote({ since, successor }: NonNullable<Operation['deprecated']>): string {
  const found = operationsInOrder.find(([, { ref }]) => ref === successor)
  return `**Deprecated** since ${since}: use ${found ? operationLink(...found) : successor} instead.`
}

function protectionOf({ protection, scope }: Operation): string {
  switch (protection) {
    case 'platformToken':
      return 'a token that the platform signed for this resource and one use'
    case 'clientToken':
      return `a token of an API client${scope ? ` that has the scope \`${scope}\`` : ''}`
    case 'none':
      return 'none, anyone may ask'
  }
}

function parametersTable({ params, query, requestHeaders }: Operation): string[] {
  const places = {
    path: nodeOf(params),
    query: nodeOf(query),
    ...(requestHeaders && { header: nodeOf(requestHeaders) }),
  }
  const rows = Object.entries(places).flatMap(([place, { properties = {} }]) =>
    Object.entries(properties).map(([name, node]) => [
      `\`${name}\``,
      place,
      expectation(node),
      node.default === undefined ? '' : `\`${node.default}\``,
      node.description ?? '',
    ]),
  )
  if (rows.length === 0) return []
  return [table(['Parameter', 'In', 'Must be', 'Default', 'Notes'], rows)]
}

function recordsPage(): string {
  const lineTypes = new Map(
    Object.entries(recordTypes).map(([type, schema]) => [nodeOf(schema).name ?? type, type]),
  )
  const inTag = new Map(
    [...operationsByTag].map(([tag, group]) => [tag, recordsIn(group.flatMap(schemasOf))]),
  )
  const records = recordsIn([
    ...Object.values(recordTypes),
    ...operationsInOrder.flatMap(schemasOf),
  ])
  const users = usersOf(records)

  /** A record stands with its line, else with the one tag that has it, else with the shared ones. */
  const groups = Map.groupBy(records.keys(), (name) => {
    const tags = [...inTag].filter(([, names]) => names.has(name)).map(([tag]) => tag)
    if (lineTypes.has(name)) return 'Records of a line'
    return tags[0] && tags.length === 1 ? tagTitles[tags[0]] : 'In several sections'
  })
  const titles = ['Records of a line', ...Object.values(tagTitles), 'In several sections']
  const sections = titles.flatMap((title) => [
    ...(groups.has(title) ? [`## ${title}`] : []),
    ...(groups.get(title) ?? []).flatMap((name) => [
      `### ${name}`,
      ...recordSection(records.get(name) ?? {}, lineTypes.get(name), users.get(name)),
    ]),
  ])

  return page(
    '# Records',
    'Every object of the interface. A record has the fields in its table and no others, unless it says so. First come the records that are loaded and dumped, one a line; then, section by section, what requests and answers are made of.',
    table(
      ['Type of the line', 'Record', 'What it is'],
      [...lineTypes].map(([name, type]) => [
        `\`${type}\``,
        recordLink(name),
        records.get(name)?.description ?? '',
      ]),
    ),
    ...sections,
  )
}

function recordSection(node: Node, lineType?: string, users: readonly string[] = []): string[] {
  const { additionalProperties, description, ignores = [], rules = [] } = node
  const remarks = [
    description,
    lineType && `A line of the type \`${lineType}\` carries it.`,
    additionalProperties !== false && 'Other fields are not looked at.',
    ignores.length > 0 && `Taken and dropped: ${ignores.map((name) => `\`${name}\``).join(', ')}.`,
  ].filter(Boolean)
  return [
    ...(remarks.length > 0 ? [remarks.join(' ')] : []),
    ...(users.length > 0 ? [`Used by ${[...new Set(users)].join(', ')}.`] : []),
    table(['Field', 'Required', 'Must be', 'Notes'], fieldRows(node, '')),
    ...(rules.length > 0 ? [rules.map((rule) => `- ${sentence(rule)}`).join('\n')] : []),
  ]
}

/** An object without a name has no section to link to: its fields follow it in the same table. */
function fieldRows(node: Node, prefix: string): string[][] {
  const { properties = {}, required = [], alsoSpelled = {} } = node
  return Object.entries(properties).flatMap(([field, type]) => {
    const spellings = Object.keys(alsoSpelled).filter((theirs) => alsoSpelled[theirs] === field)
    const notes = [
      type.remark ?? (type.name ? undefined : type.description),
      type.numberTaken && 'A number is taken too, and kept as text.',
      spellings.length > 0 &&
        `Also taken as ${spellings.map((theirs) => `\`${theirs}\``).join(' or ')}.`,
    ].filter(Boolean)
    return [
      [
        `\`${prefix}${field}\``,
        required.includes(field) ? 'yes' : '',
        mustBe(type),
        notes.join(' '),
      ],
      ...(type.name ? [] : fieldRows(type, `${prefix}${field}.`)),
    ]
  })
}

/** What a value must be, with every record in it linked to its section. */
function mustBe(node: Node, onPage = ''): string {
  if (node.name) return recordLink(node.name, onPage)
  if (node.items) return `${expectation(node)}, each ${mustBe(node.items, onPage)}`
  if (node.anyOf) return node.anyOf.map((branch) => mustBe(branch, onPage)).join(' or ')
  return expectation(node)
}

function schemasOf([, { body, form, response }]: readonly [string, Operation]): TSchema[] {
  return [body, form, response].filter((schema) => schema !== undefined)
}

/** The named records that some schemas are made of, each before its parts. */
function recordsIn(schemas: readonly TSchema[]): Map<string, Node> {
  const found = new Map<string, Node>()
  const visit = (node: Node) => {
    if (node.name && found.has(node.name)) return
    if (node.name) found.set(node.name, node)
    for (const child of childrenOf(node)) visit(child)
  }
  for (const schema of schemas) visit(nodeOf(schema))
  return found
}

/** Links to the operations and records that mention a record, by its name. */
function usersOf(records: ReadonlyMap<string, Node>): Map<string, string[]> {
  const users = new Map<string, string[]>()
  const use = (node: Node, link: string) => {
    if (node.name) users.set(node.name, [...(users.get(node.name) ?? []), link])
    else for (const child of childrenOf(node)) use(child, link)
  }
  for (const entry of operationsInOrder) {
    const link = operationLink(...entry, 'operations.md')
    for (const schema of schemasOf(entry)) use(nodeOf(schema), link)
  }
  for (const [name, node] of records) {
    for (const child of childrenOf(node)) use(child, recordLink(name))
  }
  return users
}

function childrenOf({ properties = {}, items, anyOf = [] }: Node): Node[] {
  return [...Object.values(properties), ...(items ? [items] : []), ...anyOf]
}

function errorsPage(): string {
  return page(
    '# Errors',
    'Every failure that a caller can see. The body is `{"error": "…"}` with the text of this table; the code is for the log and for these pages.',
    errorsTable(Object.keys(errorTable) as ErrorCode[]),
  )
}

function errorsTable(codes: readonly ErrorCode[]): string {
  const rows = codes.map((code) => {
    const error: { status: number; message: string; sentence?: string } = errorTable[code]
    const text = error.sentence
      ? 'a sentence that names the field and what it must be'
      : `\`${error.message}\``
    return [`\`${code}\``, String(error.status), text]
  })
  return table(['Error', 'Status', 'Text'], rows)
}

function settingsPage(): string {
  const rows = settingNames.map((name) => [
    `\`${variableOf(name)}\``,
    `\`${flagOf(name)}\``,
    definitions[name].about,
    definitions[name].mustBe,
    defaultOf(name),
  ])
  return page(
    '# Settings',
    `Each setting is an environment variable and a flag, and flags win. Where a default depends on what is run (${roles.join(', ')}), that stands behind it. \`holdfast settings\` shows the settings in force and where each came from.`,
    table(['Variable', 'Flag', 'What it is', 'Must be', 'Default'], rows),
  )
}

function defaultOf(name: SettingName): string {
  const { defaults, derived, requiredBy } = definitions[name]
  const given = Map.groupBy(
    roles.filter((role) => defaults[role] !== undefined),
    (role) => defaults[role],
  )
  const values = [...given].map(([text, inRoles]) =>
    inRoles.length === roles.length ? `\`${text}\`` : `\`${text}\` (${inRoles.join(', ')})`,
  )
  const others = [
    ...(derived ? [derived.about] : []),
    ...(requiredBy ? [`none, required (${requiredBy.join(', ')})`] : []),
  ]
  return [...values, ...others].join('; ') || 'none'
}

function metricsPage(): string {
  return page(
    '# Metrics',
    'Every metric there is, and every label with the values it can have. [Observe](../guides/observe.md) says how to get them and what to look at.',
    '## Of a server',
    `On the port of ${settingLink('metricsPort')}. Of several workers there is one number: the sum, unless the metric says otherwise.`,
    metricsTable(serverMetrics),
    '## Of a load',
    'In the file that `holdfast load --metrics-file FILE` writes.',
    metricsTable(loadMetrics),
  )
}

function metricsTable(metrics: Readonly<Record<string, MetricDefinition>>): string {
  const rows = Object.entries(metrics).map(([name, { type, help, labels = {}, buckets }]) => [
    `\`${name}\``,
    type,
    help,
    [
      ...Object.entries(labels).map(([label, values]) => `\`${label}\`: ${labelValues(values)}`),
      ...(buckets ? [`buckets in seconds: ${buckets.join(', ')}`] : []),
    ].join('; '),
  ])
  return table(['Metric', 'Type', 'What it is', 'Labels'], rows)
}

function labelValues(values: readonly string[] | string): string {
  return typeof values === 'string' ? values : values.map((value) => `\`${value}\``).join(', ')
}

function titleOf(id: string, { ref }: Operation): string {
  return `${ref} ${id}`
}

function operationLink(id: string, operation: Operation, onPage = ''): string {
  const anchor = titleOf(id, operation).toLowerCase().replaceAll(' ', '-')
  return `[${operation.ref}](${onPage}#${anchor})`
}

function recordLink(name: string, onPage = ''): string {
  return `[${name}](${onPage}#${name.toLowerCase()})`
}

function settingLink(name: SettingName): string {
  return `[\`${variableOf(name)}\`](settings.md)`
}
