import type { TSchema } from 'typebox'
import { type ErrorCode, errorTable } from '../src/contract/errors.ts'
import { type Base, formatSummary, listErrors, type Operation } from '../src/contract/operation.ts'
import { operations } from '../src/contract/operations/index.ts'
import { describeExpected } from '../src/contract/problems.ts'
import { recordTypes } from '../src/contract/records/index.ts'
import { refusalHeader, refusalStatuses } from '../src/contract/refusals.ts'
import { responseHeaders } from '../src/contract/response-headers.ts'
import { describeRule } from '../src/contract/rules.ts'
import { asNode, type Node } from '../src/contract/schema.ts'
import {
  loadMetrics,
  type MetricDefinition,
  serverMetrics,
} from '../src/server/observe/metric-definitions.ts'
import {
  flagName,
  roles,
  type SettingName,
  settingDefinitions,
  settingNames,
  variableName,
} from '../src/server/settings/settings.ts'
import { cdsEndpointsPage } from './cds-endpoints-page.ts'
import { cdsProductsPage } from './cds-products-page.ts'
import { checksPage } from './checks-page.ts'
import { commandsPage } from './commands-page.ts'
import { conformancePage } from './conformance-page.ts'
import { limitsPage } from './limits-page.ts'
import { page, table } from './markdown.ts'

/** Builds the pages of docs/reference and docs/explanation/conformance.md, by path. */
export function generatedPages(): Map<string, string> {
  return new Map([
    ['docs/reference/operations.md', operationsPage()],
    ['docs/reference/records.md', recordsPage()],
    ['docs/reference/cds-products.md', cdsProductsPage()],
    ['docs/reference/cds-endpoints.md', cdsEndpointsPage()],
    ['docs/reference/errors.md', errorsPage()],
    ['docs/reference/commands.md', commandsPage()],
    ['docs/reference/settings.md', settingsPage()],
    ['docs/reference/limits.md', limitsPage()],
    ['docs/reference/metrics.md', metricsPage()],
    ['docs/reference/checks.md', checksPage()],
    ['docs/explanation/conformance.md', conformancePage()],
  ])
}

const tagTitles: Record<Operation['tag'], string> = {
  banking: 'Banking',
  energy: 'Energy',
  contact: 'Account contact',
  consent: 'Consent flow',
  catalogue: 'Product catalogue',
  access: 'Platform tokens and keys',
  consents: 'Consents',
  monitoring: 'Monitoring',
  explorer: 'Explorer',
  intake: 'Feeds',
}

const baseAddresses: Record<Base, string> = {
  provider: `${settingLink('providerUrl')} (data provider)`,
  resource: `${settingLink('resourceUrl')} (contact endpoint)`,
  platform: 'the platform',
  intake: 'the intake',
}

/** In the order of the interface. The operations of a tag are already adjacent. */
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
    formatSummary(operation),
  ])
  const sections = [...operationsByTag].flatMap(([tag, group]) => [
    `## ${tagTitles[tag]}`,
    ...group.flatMap(([id, operation]) => operationSection(id, operation)),
  ])
  return page(
    '# Operations',
    'Every endpoint, by its reference in the interface, or one of our own if the interface does not have it. The operations of a provider that the interface does not have are marked as extensions. The name after the reference is the operation ID in the OpenAPI document and in the code. Request and response bodies are JSON, except for the lines of F1.',
    table(['Reference', 'Request', 'Description'], rows),
    ...sections,
  )
}

function operationSection(id: string, operation: Operation): string[] {
  const { base, body, deprecated, description, form, headers = [], lines } = operation
  const { events, isExtension, response, status } = operation
  const result = response
    ? mustBe(asNode(response), 'records.md')
    : events
      ? `events (\`text/event-stream\`), each ${mustBe(asNode(events), 'records.md')}`
      : 'no body'
  const facts = [
    `Base URL: ${baseAddresses[base]}`,
    `Authentication: ${protectionOf(operation)}`,
    ...(body ? [`Body: ${mustBe(asNode(body), 'records.md')}`] : []),
    ...(lines ? [`Body (\`application/x-ndjson\`): ${lines}`] : []),
    ...(form ? [`Body as a form: ${mustBe(asNode(form), 'records.md')}`] : []),
    `Response: ${status}, ${result}`,
    ...headers.map((name) => `Response header \`${name}\`: ${responseHeaders[name].description}`),
    ...refusalFacts(operation),
  ]
  return [
    `### ${titleOf(id, operation)}`,
    `\`${operation.method} ${operation.path}\``,
    [`${operation.summary}.`, description].filter(Boolean).join(' '),
    ...(isExtension ? [extensionParagraph] : []),
    ...(deprecated ? [deprecationNote(deprecated)] : []),
    facts.map((fact) => `- ${fact}`).join('\n'),
    ...parametersTable(operation),
    errorsTable(listErrors(operation).sort((a, b) => errorTable[a].status - errorTable[b].status)),
  ]
}

/** The header that distinguishes a refusal from other errors with the same status. */
function refusalFacts(operation: Operation): string[] {
  if (operation.protection !== 'platformToken') return []
  const statuses = listErrors(operation).map((code): number => errorTable[code].status)
  const possible = refusalStatuses.filter((status) => statuses.includes(status))
  const { description } = responseHeaders[refusalHeader]
  return [
    `Response header \`${refusalHeader}: true\` of a [refusal](../decisions/0065-refusals.md), with ${possible.join(', ')}: ${description}`,
  ]
}

const extensionParagraph =
  '**Extension** of the interface: a provider may leave it out ([decision 67](../decisions/0067-single-accounts.md)).'

function deprecationNote({ since, successor }: NonNullable<Operation['deprecated']>): string {
  const found = operationsInOrder.find(([, { ref }]) => ref === successor)
  return `**Deprecated** since ${since}: use ${found ? operationLink(...found) : successor} instead.`
}

function protectionOf({ protection, scope }: Operation): string {
  switch (protection) {
    case 'platformToken':
      return 'a single-use token, signed by the platform for this resource'
    case 'clientToken':
      return `the token of an API client${scope ? ` with the scope \`${scope}\`` : ''}`
    case 'none':
      return 'none'
  }
}

function parametersTable({ params, query, requestHeaders }: Operation): string[] {
  const places = {
    path: asNode(params),
    query: asNode(query),
    ...(requestHeaders && { header: asNode(requestHeaders) }),
  }
  const rows = Object.entries(places).flatMap(([place, { properties = {} }]) =>
    Object.entries(properties).map(([name, node]) => [
      `\`${name}\``,
      place,
      describeExpected(node),
      node.default === undefined ? '' : `\`${node.default}\``,
      node.description ?? '',
    ]),
  )
  if (rows.length === 0) return []
  return [table(['Parameter', 'In', 'Must be', 'Default', 'Notes'], rows)]
}

function recordsPage(): string {
  const lineTypes = new Map(
    Object.entries(recordTypes).map(([type, schema]) => [asNode(schema).name ?? type, type]),
  )
  const inTag = new Map(
    [...operationsByTag].map(([tag, group]) => [tag, recordsIn(group.flatMap(schemasOf))]),
  )
  const records = recordsIn([
    ...Object.values(recordTypes),
    ...operationsInOrder.flatMap(schemasOf),
  ])
  const users = usersOf(records)

  /** Loaded records first, then the records of one tag, then those that several tags share. */
  const groups = Map.groupBy(records.keys(), (name) => {
    const tags = [...inTag].filter(([, names]) => names.has(name)).map(([tag]) => tag)
    if (lineTypes.has(name)) return 'Loaded records'
    return tags[0] && tags.length === 1 ? tagTitles[tags[0]] : 'Shared records'
  })
  const titles = ['Loaded records', ...Object.values(tagTitles), 'Shared records']
  const sections = titles.flatMap((title) => [
    ...(groups.has(title) ? [`## ${title}`] : []),
    ...(groups.get(title) ?? []).flatMap((name) => [
      `### ${name}`,
      ...recordSection(records.get(name) ?? {}, lineTypes.get(name), users.get(name)),
    ]),
  ])

  return page(
    '# Records',
    'Every object of the interface. A record has only the fields in its table, unless stated otherwise. The first section has the records that are loaded and dumped, one per line. The other sections have the objects of requests and responses.',
    table(
      ['Line type', 'Record', 'Description'],
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
  const notes = [
    description,
    lineType && `Line type: \`${lineType}\`.`,
    additionalProperties !== false && 'Other fields are ignored.',
    ignores.length > 0 &&
      `Accepted and ignored: ${ignores.map((name) => `\`${name}\``).join(', ')}.`,
  ].filter(Boolean)
  return [
    ...(notes.length > 0 ? [notes.join(' ')] : []),
    ...(users.length > 0 ? [`Used by ${[...new Set(users)].join(', ')}.`] : []),
    table(['Field', 'Required', 'Must be', 'Notes'], fieldRows(node, '')),
    ...(rules.length > 0 ? [rules.map((rule) => `- ${describeRule(rule)}`).join('\n')] : []),
  ]
}

/** The fields of an unnamed object are in the same table: it has no section to link to. */
function fieldRows(node: Node, prefix: string): string[][] {
  const { properties = {}, required = [], aliases = {} } = node
  return Object.entries(properties).flatMap(([field, type]) => {
    const names = Object.keys(aliases).filter((alias) => aliases[alias] === field)
    const notes = [
      type.fieldDescription ?? (type.name ? undefined : type.description),
      type.acceptsNumber && 'A number is also accepted and stored as text.',
      names.length > 0 && `Also accepted as ${names.map((alias) => `\`${alias}\``).join(' or ')}.`,
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

/** Describes the expected value, with links to the sections of its records. */
function mustBe(node: Node, onPage = ''): string {
  if (node.name) return recordLink(node.name, onPage)
  if (node.items) return `${describeExpected(node)}, each ${mustBe(node.items, onPage)}`
  if (node.anyOf) return node.anyOf.map((branch) => mustBe(branch, onPage)).join(' or ')
  return describeExpected(node)
}

function schemasOf([, { body, events, form, response }]: readonly [string, Operation]): TSchema[] {
  return [body, form, response, events].filter((schema) => schema !== undefined)
}

/** The named records in the schemas, each before the records that it contains. */
function recordsIn(schemas: readonly TSchema[]): Map<string, Node> {
  const found = new Map<string, Node>()
  const visit = (node: Node) => {
    if (node.name && found.has(node.name)) return
    if (node.name) found.set(node.name, node)
    for (const child of childrenOf(node)) visit(child)
  }
  for (const schema of schemas) visit(asNode(schema))
  return found
}

/** Links to the operations and records that use a record, by its name. */
function usersOf(records: ReadonlyMap<string, Node>): Map<string, string[]> {
  const users = new Map<string, string[]>()
  const use = (node: Node, link: string) => {
    if (node.name) users.set(node.name, [...(users.get(node.name) ?? []), link])
    else for (const child of childrenOf(node)) use(child, link)
  }
  for (const entry of operationsInOrder) {
    const link = operationLink(...entry, 'operations.md')
    for (const schema of schemasOf(entry)) use(asNode(schema), link)
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
    'Every error that a client can receive. The body is `{"error": "…"}` with the text in this table. The code appears in logs and on these pages.',
    `An error with the header \`${refusalHeader}: true\` is a [refusal to share](../decisions/0065-refusals.md). Those whose code ends with \`protected\` always have it.`,
    errorsTable(Object.keys(errorTable) as ErrorCode[]),
  )
}

function errorsTable(codes: readonly ErrorCode[]): string {
  const rows = codes.map((code) => {
    const error: { status: number; message: string; states?: string } = errorTable[code]
    const text = error.states ? `states ${error.states}` : `\`${error.message}\``
    return [`\`${code}\``, String(error.status), text]
  })
  return table(['Error', 'Status', 'Text'], rows)
}

function settingsPage(): string {
  const rows = settingNames.map((name) => [
    `\`${variableName(name)}\``,
    `\`${flagName(name)}\``,
    settingDefinitions[name].about,
    settingDefinitions[name].mustBe,
    defaultOf(name),
  ])
  return page(
    '# Settings',
    `Each setting is an environment variable and a flag. Flags take precedence. If a default depends on the role (${roles.join(', ')}), the role is given in parentheses. \`holdfast settings\` shows the effective settings and their sources.`,
    table(['Variable', 'Flag', 'Description', 'Must be', 'Default'], rows),
  )
}

function defaultOf(name: SettingName): string {
  const { defaults = {}, derived, requiredBy } = settingDefinitions[name]
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
    'Every metric, with its labels and their possible values. [Observe](../guides/observe.md) explains how to collect them and suggests alerts.',
    '## Server',
    `Served on the port ${settingLink('metricsPort')}. With several workers, a value is the sum over all workers, unless stated otherwise.`,
    metricsTable(serverMetrics),
    '## Load',
    'Written to a file by `holdfast load --metrics-file FILE`.',
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
  return table(['Metric', 'Type', 'Description', 'Labels'], rows)
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
  return `[\`${variableName(name)}\`](settings.md)`
}
