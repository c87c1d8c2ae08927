import { groupOf } from '../src/check/definition.ts'
import { namedCapabilities, unnamedParameters } from '../src/check/names.ts'
import { suite } from '../src/check/suite.ts'
import { faults } from '../test/check/faults/index.ts'
import { page, table } from './markdown.ts'

const groupTitles: Readonly<Record<string, string>> = {
  tokens: 'Tokens',
  consent: 'Consent flow',
  paging: 'Paging',
  order: 'Order',
  filters: 'Filters',
  windows: 'Windows of time',
  errors: 'Errors',
  isolation: 'Customers apart',
  schemas: 'Schemas',
  wire: 'Conventions of the wire',
}

/** Every check, the clause it quotes, and which broken providers of the tests it was seen to catch. */
export function checksPage(): string {
  const groups = [...Map.groupBy(suite, groupOf)]
  const untriggered = suite
    .filter(({ id }) => faultsOf(id).length === 0)
    .map(({ id }) => `\`${id}\``)
  return page(
    '# Checks',
    `What \`holdfast check\` asks of a provider: ${suite.length} checks. An id never changes, so it can be named in \`--only\` and \`--skip\`, as can a group (the word before the first dot). Checks of the profile \`smoke\` are run in both profiles. Where the interface leaves a choice, every lawful answer passes and the one seen is reported; with \`--strict\`, the answer must be the one that Holdfast decided on ([decisions](../decisions/README.md)).`,
    `The tests have ${faults.length} providers with one fault each. The last column names those that a check must catch; one that is marked *strict* is lawful, and caught with \`--strict\` alone.`,
    ...groups.flatMap(([group, checks]) => [
      `## ${groupTitles[group] ?? group}`,
      table(
        ['Check', 'Profile', 'The interface', 'Catches a provider where'],
        checks.map(({ id, title, profile, clause }) => [
          `\`${id}\`: ${title}`,
          profile,
          `${clause.section}, ${clause.reference}: “${clause.quote}”`,
          faultsOf(id).join('; '),
        ]),
      ),
    ]),
    '## Checks that no fault of the tests triggers',
    untriggered.length > 0
      ? `These pass on our own server, and no provider of the tests has the fault that they are for: ${untriggered.join(', ')}.`
      : 'None: every check was seen to fail.',
    '## Capabilities',
    'What a provider leaves out on purpose (`--capability`). `no-` and the reference of an operation, such as `no-B1`, leaves out that one.',
    table(
      ['Capability', 'What it means'],
      Object.entries(namedCapabilities).map(([name, about]) => [`\`${name}\``, about]),
    ),
    '## Parameters without a name',
    'The interface has these parameters and does not name them. `--parameter B3.text=NAME` tells what the provider calls one.',
    table(
      ['Parameter', 'What it is'],
      Object.entries(unnamedParameters).map(([name, about]) => [`\`${name}\``, about]),
    ),
  )
}

function faultsOf(id: string): string[] {
  return faults
    .filter(({ catches }) => catches.includes(id))
    .map(({ name, strict }) => (strict ? `${name} (*strict*)` : name))
}
