import { namedCapabilities, unnamedParameters } from '../src/check/defaults.ts'
import { getGroup } from '../src/check/definition.ts'
import { suite } from '../src/check/suite.ts'
import { faults } from '../test/check/faults/index.ts'
import { page, table } from './markdown.ts'

const groupTitles: Readonly<Record<string, string>> = {
  tokens: 'Tokens',
  consent: 'Consent flow',
  paging: 'Paging',
  agreement: 'Agreement between operations',
  order: 'Order',
  filters: 'Filters',
  windows: 'Time windows',
  errors: 'Errors',
  isolation: 'Isolation of customers',
  refusals: 'Refusals',
  schemas: 'Schemas',
  wire: 'HTTP and JSON conventions',
}

/** Every check, the clause it quotes, and which faulty providers of the tests it must detect. */
export function checksPage(): string {
  const groups = [...Map.groupBy(suite, getGroup)]
  const untriggered = suite
    .filter(({ id }) => faultsOf(id).length === 0)
    .map(({ id }) => `\`${id}\``)
  return page(
    '# Checks',
    `The ${suite.length} checks of \`holdfast check\` ([guide](../guides/test-your-provider.md)). Check IDs are stable. \`--only\` and \`--skip\` take an ID or a group, which is the part before the first dot. Checks of the profile \`smoke\` run in both profiles. Where the interface leaves a choice, every valid answer passes, and the observed one is reported. With \`--strict\`, the answer must be the one that Holdfast gives ([decisions](../decisions/README.md)). An answer that is valid but could be better passes with a remark. A check of an extension, which a provider may leave out, quotes the decision that defines it.`,
    `The tester is tested against ${faults.length} providers with one fault each. The last column lists the faults that a check must detect. A fault marked *strict* is allowed by the interface and detected only with \`--strict\`.`,
    ...groups.flatMap(([group, checks]) => [
      `## ${titleOf(group)}`,
      table(
        ['Check', 'Profile', 'Clause of the interface', 'Detects a provider where'],
        checks.map(({ id, title, profile = 'full', clause }) => [
          `\`${id}\`: ${title}`,
          profile,
          `${clause.section}, ${clause.reference}: “${clause.quote}”`,
          faultsOf(id).join('; '),
        ]),
      ),
    ]),
    '## Checks without a fault',
    untriggered.length > 0
      ? `These checks pass on Holdfast, and no faulty provider of the tests triggers them: ${untriggered.join(', ')}.`
      : 'None: every check detects at least one fault.',
    '## Capabilities',
    'Features that a provider intentionally omits (`--capability`). `no-` followed by the reference of an operation, such as `no-B1`, omits that operation.',
    table(
      ['Capability', 'Meaning'],
      Object.entries(namedCapabilities).map(([name, about]) => [`\`${name}\``, about]),
    ),
    '## Unnamed parameters',
    'The interface describes these parameters without naming them. `--parameter B3.text=NAME` sets the name that the provider uses.',
    table(
      ['Parameter', 'Meaning'],
      Object.entries(unnamedParameters).map(([name, about]) => [`\`${name}\``, about]),
    ),
  )
}

function titleOf(group: string): string {
  const title = groupTitles[group]
  if (!title) throw new TypeError(`groupTitles in checks-page.ts has no ${group}`)
  return title
}

function faultsOf(id: string): string[] {
  return faults
    .filter(({ detectedBy }) => detectedBy.includes(id))
    .map(({ name, strict }) => (strict ? `${name} (*strict*)` : name))
}
