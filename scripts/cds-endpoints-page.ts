import { cdsListVersions } from '../src/contract/cds/mapping.ts'
import { cdsEndpoints } from '../src/contract/cds/shared/endpoints.ts'
import { describeExpected } from '../src/contract/problems.ts'
import { adminEndpoints, adminParameters } from '../src/platform/admin/admin.ts'
import {
  publishedEndpoints,
  publishedParameters,
} from '../src/platform/catalogue/published-answers.ts'
import { discoveryEndpoints } from '../src/platform/cds/discovery.ts'
import { cdsErrors } from '../src/platform/cds/errors.ts'
import { cdsBasePath, standardPaths } from '../src/platform/cds/paths.ts'
import type { Parameters } from '../src/platform/cds/query.ts'
import { page, table } from './markdown.ts'

interface Endpoint {
  readonly method?: string
  readonly path: string
  readonly versions: readonly [min: number, max: number]
  readonly scope?: string
  /** Who may call it, if that does not depend on a scope. */
  readonly access?: string
  readonly parameters?: Parameters
}

const ofRegister = 'none, for the register (`HOLDFAST_REGISTER_KEYS`)'

/** The endpoints of the Consumer Data Standards that the platform serves, those that it does not, and the errors of both. */
export function cdsEndpointsPage(): string {
  const newest = cdsListVersions[cdsListVersions.length - 1]
  const listParameters = newest && publishedParameters.get(newest)
  const endpoints: Endpoint[] = [
    ...Object.values<Endpoint>(cdsEndpoints),
    { ...publishedEndpoints.products, ...(listParameters && { parameters: listParameters }) },
    publishedEndpoints.product,
    ...Object.values(discoveryEndpoints),
    { ...adminEndpoints.metrics, access: ofRegister, parameters: adminParameters },
    { ...adminEndpoints.metadataUpdate, access: ofRegister },
  ]
  const served = new Set(endpoints.map(({ path }) => path))
  const omitted = standardPaths.filter((path) => !served.has(path))
  const parameters = new Map(
    endpoints.flatMap((endpoint) => Object.entries(endpoint.parameters ?? {})),
  )
  return page(
    '# Endpoints of the Consumer Data Standards',
    `The platform serves these endpoints under \`${cdsBasePath}\`. [Data for third parties](../guides/data-for-third-parties.md) and [Public products](../guides/public-products.md) explain how to call them.`,
    '## Endpoints',
    table(
      ['Endpoint', 'Versions', 'Scope', 'Parameters'],
      endpoints.map(({ method = 'GET', path, versions, scope, access, parameters = {} }) => [
        `\`${method} ${path}\``,
        listVersions(versions),
        scope ? `\`${scope}\`` : (access ?? 'none, public'),
        Object.keys(parameters)
          .map((name) => `\`${name}\``)
          .join(', '),
      ]),
    ),
    '## Parameters',
    'Unknown parameters are ignored.',
    table(
      ['Parameter', 'Must be', 'Default'],
      [...parameters].map(([name, node]) => [
        `\`${name}\``,
        describeExpected(node),
        node.default === undefined ? '' : `\`${node.default}\``,
      ]),
    ),
    '## Endpoints that are not served',
    'These paths of the standards are a 404 with the code `cds-all:Resource/NotImplemented`: the interface between platform and provider does not have the data, or Holdfast does not map it.',
    omitted.map((path) => `- \`${path}\``).join('\n'),
    '## Coverage of the standards',
    table(
      ['Part of the standards', 'Covered'],
      [
        ['Public product data and discovery', 'yes'],
        ['Data of banking, energy and customers', 'as listed above'],
        [
          'Information security: pushed requests, tokens, introspection, revocation, arrangement revocation',
          'yes ([Consent](../guides/consent.md))',
        ],
        [
          'Dynamic client registration, and the register of the Consumer Data Right (software statements, statuses)',
          'no: an operator registers third parties with `holdfast client add`',
        ],
        [
          'Get Metrics',
          'with `HOLDFAST_REGISTER_KEYS` ([Usage and Get Metrics](../guides/usage.md))',
        ],
        [
          'Metadata Update',
          'with `HOLDFAST_REGISTER_KEYS`: it is logged, because the platform keeps no metadata of the register',
        ],
        ['Secondary data holders (data that another holder supplies)', 'no'],
      ],
    ),
    '## Errors',
    'The codes begin with `urn:au-cds:error:`. `detail` names the parameter, header or account. Other errors have the code `cds-all:GeneralError/Expected` (status below 500) or `cds-all:GeneralError/Unexpected`.',
    table(
      ['Status', 'Code', 'Title'],
      Object.values(cdsErrors).map(([status, code, title]) => [
        String(status),
        `\`${code}\``,
        title,
      ]),
    ),
  )
}

function listVersions([min, max]: Endpoint['versions']): string {
  return Array.from({ length: max - min + 1 }, (_, index) => min + index).join(', ')
}
