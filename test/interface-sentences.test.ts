import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { suite } from '../src/check/suite.ts'
import { type Operation, operations } from '../src/contract/index.ts'
import { mergeCoverage, readSections, type TestReference } from './support/interface-sentences.ts'
import { listTests } from './support/list-tests.ts'

const sections = readSections()
const requirements = sections.flatMap(({ shared, requirements }) =>
  requirements.map((own) => ({ ...own, ...mergeCoverage(shared, own) })),
)
const ids = requirements.map(({ id }) => id)
const checks = new Set(suite.map(({ id }) => id))
const references = Object.values<Operation>(operations).map(({ ref }) => ref)

/** Requirements, or names in them, that do not meet a condition. */
function assertNone(found: readonly string[]): void {
  assert.deepEqual(found, [])
}

describe('every sentence of the interface', () => {
  it('has an id of its own and a text', () => {
    assertNone(ids.filter((id, index) => ids.indexOf(id) !== index))
    assertNone(requirements.filter(({ text }) => text === '').map(({ id }) => id))
  })

  it('has a test, or a reason why it has none', () => {
    assertNone(
      requirements
        .filter(({ tests, untested }) => tests.length > 0 === (untested !== undefined))
        .map(({ id }) => id),
    )
  })

  it('has a check, or a reason why it has none', () => {
    assertNone(
      requirements
        .filter(({ checks, unchecked }) => checks.length > 0 === (unchecked !== undefined))
        .map(({ id }) => id),
    )
  })

  it('names checks and operations that exist', () => {
    assertNone(
      requirements.flatMap(({ id, checks: named, operations }) => [
        ...named.filter((check) => !checks.has(check)).map((check) => `${id}: ${check}`),
        ...operations.filter((ref) => !references.includes(ref)).map((ref) => `${id}: ${ref}`),
      ]),
    )
  })

  it('names tests that exist, for each of its operations', async () => {
    const named = requirements.flatMap(({ id, tests, operations }) =>
      tests.flatMap((reference) => expandOperations(reference, operations, id)),
    )
    const files = new Set(named.map(({ file }) => file))
    assertNone([...files].filter((file) => !existsSync(new URL(`../${file}`, import.meta.url))))

    const tests = await listTests(files)

    assertNone(
      named
        .filter(({ file, name }) => !tests.get(file)?.some((test) => isMatch(name, test)))
        .map(({ id, file, name }) => `${id}: ${file} > ${name}`),
    )
  })
})

describe('the sentences of the interface', () => {
  it('name every check', () => {
    const named = new Set([
      ...sections.flatMap(({ shared }) => shared.checks),
      ...requirements.flatMap((requirement) => requirement.checks),
    ])

    assertNone([...checks].filter((id) => !named.has(id)))
  })

  it('name every operation of the provider and of the catalogue', () => {
    const named = new Set([
      ...sections.flatMap(({ shared }) => shared.operations),
      ...requirements.flatMap((requirement) => requirement.operations),
    ])
    const catalogue = Object.values<Operation>(operations).filter(
      ({ base, tag }) => base === 'provider' || base === 'resource' || tag === 'catalogue',
    )

    assertNone(catalogue.map(({ ref }) => ref).filter((ref) => !named.has(ref)))
  })

  it('have the fields of interface-fields.txt, and no others', () => {
    const text = readFileSync(new URL('support/interface-fields.txt', import.meta.url), 'utf8')
    const fields = text
      .split('\n[')
      .slice(1)
      .flatMap((section) => {
        const [heading = '', ...lines] = section.trim().split('\n')
        // A product is one record, whose responses have a few more fields.
        const record = heading.replace(/(Input|Read)?\]$/, '')
        return lines.map((line) => `${record}.${line.split(' ')[0]}`)
      })
    const records = new Set(fields.map((field) => field.split('.')[0]))
    const inIds = ids.filter((id) => records.has(id.split('.')[0]))
    const isWithin = (field: string, id: string) => field === id || field.startsWith(`${id}.`)

    assertNone(fields.filter((field) => !inIds.some((id) => isWithin(field, id))))
    assertNone(inIds.filter((id) => !fields.some((field) => isWithin(field, id))))
  })
})

/** A reference with `{op}` stands for one test of each operation. */
function expandOperations(
  { file, name }: TestReference,
  operations: readonly string[],
  id: string,
): (TestReference & { readonly id: string })[] {
  if (!name.includes('{op}') || operations.length === 0) return [{ id, file, name }]
  return operations.map((ref) => ({ id, file, name: name.replaceAll('{op}', ref) }))
}

/** `*` stands for any text. */
function isMatch(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name)
}
