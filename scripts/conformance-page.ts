import {
  type Coverage,
  mergeCoverage,
  readSections,
  type Section,
  type TestReference,
} from '../test/support/interface-sentences.ts'
import { page, table } from './markdown.ts'

/** Every requirement of the interface, with what covers it. test/interface-sentences.test.ts verifies the references. */
export function conformancePage(): string {
  const sections = readSections()
  const coverages = sections.flatMap(({ shared, requirements }) =>
    requirements.map((requirement) => mergeCoverage(shared, requirement)),
  )
  const tested = coverages.filter(({ tests }) => tests.length > 0)
  const checked = coverages.filter(({ checks }) => checks.length > 0)
  return page(
    '# Conformance',
    `Every sentence and every row of a table of the interface, in our own words: ${coverages.length} requirements. ${tested.length} have a test, which fails if Holdfast breaks the requirement. ${checked.length} have a [check](../reference/checks.md) of \`holdfast check\`, which detects any provider that breaks it ([guide](../guides/test-your-provider.md)). The others have the reason why they have none. The tests of Holdfast fail if a requirement has neither, or names a test or a check that does not exist.`,
    'The references in the second column are those of the [operations](../reference/operations.md). In the name of a test, … stands for other text: the test exists for each operation, or for several cases. Tests and checks above a table cover all of its requirements. The files of the tests are in the repository, not in the npm package.',
    ...sections.flatMap(formatSection),
  )
}

function formatSection({ title, shared, requirements }: Section): string[] {
  const rows = requirements.map((own) => [
    `\`${own.id}\`: ${own.text.replaceAll('<', '\\<')}`,
    mergeCoverage(shared, own).operations.join(', '),
    own.untested ?? formatTests(own.tests).join('<br>'),
    own.unchecked ?? formatChecks(own),
  ])
  return [
    `## ${title}`,
    ...formatShared(shared),
    ...(rows.length > 0 ? [table(['Requirement', 'Operations', 'Tests', 'Checks'], rows)] : []),
  ]
}

function formatShared({ operations, tests, checks, unchecked }: Coverage): string[] {
  const facts = [
    ...(operations.length > 0 ? [`Operations: ${operations.join(', ')}`] : []),
    ...formatTests(tests).map((test) => `Test: ${test}`),
    ...(checks.length > 0 ? [`Check: ${formatChecks({ checks })}`] : []),
    ...(unchecked ? [`No check: ${unchecked}`] : []),
  ]
  return facts.length > 0 ? [facts.map((fact) => `- ${fact}`).join('\n')] : []
}

/** The file, and the names of its tests. There is no link: the npm package, which this page is in, has no tests. */
function formatTests(tests: readonly TestReference[]): string[] {
  return [...Map.groupBy(tests, ({ file }) => file)].map(([file, group]) => {
    const names = group.map(({ name }) => name.replaceAll(/\*|\{op\}/g, '…'))
    return `\`${file}\`: ${names.join('; ')}`
  })
}

function formatChecks({ checks }: Pick<Coverage, 'checks'>): string {
  return checks.map((id) => `\`${id}\``).join(', ')
}
