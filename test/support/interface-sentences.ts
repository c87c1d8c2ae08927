import { readFileSync } from 'node:fs'

/** What covers a requirement, or all requirements of a section. */
export interface Coverage {
  readonly operations: readonly string[]
  readonly tests: readonly TestReference[]
  /** The ids of checks. */
  readonly checks: readonly string[]
  /** Why it has no test. */
  readonly untested?: string | undefined
  /** Why it has no check. */
  readonly unchecked?: string | undefined
}

export interface TestReference {
  readonly file: string
  /** `suite > test`, where `*` is any text and `{op}` the reference of each operation. */
  readonly name: string
}

/** One sentence or one row of a table of the interface, in our own words. */
export interface Requirement extends Coverage {
  readonly id: string
  readonly text: string
}

export interface Section {
  readonly title: string
  /** Covers every requirement of the section. */
  readonly shared: Coverage
  readonly requirements: readonly Requirement[]
}

/** Reads interface-sentences.txt, which describes its format. */
export function readSections(): Section[] {
  const file = new URL('interface-sentences.txt', import.meta.url)
  const text = readFileSync(file, 'utf8').replaceAll(/^#.*\n/gm, '')
  return text.split(/^\[/m).slice(1).map(parseSection)
}

function parseSection(text: string): Section {
  // A requirement starts with its id, which has a dot; the lines of its coverage are indented.
  const [head = '', ...blocks] = text.trimEnd().split(/^(?=\S+\.\S+ )/m)
  const [title = '', ...lines] = head.split('\n')
  return {
    title: title.replace(/\]$/, ''),
    shared: parseCoverage(lines),
    requirements: blocks.map(parseRequirement),
  }
}

function parseRequirement(block: string): Requirement {
  const [line = '', ...lines] = block.split('\n')
  const [, id = '', text = ''] = /^(\S+) (.+)$/.exec(line) ?? []
  return { id, text, ...parseCoverage(lines) }
}

function parseCoverage(lines: readonly string[]): Coverage {
  const values = Map.groupBy(lines.map(parseLine), ([key]) => key)
  values.delete('')
  const read = (key: string) => {
    const found = values.get(key)?.map(([, value]) => value) ?? []
    values.delete(key)
    return found
  }
  const coverage = {
    operations: read('operations').flatMap((line) => line.split(' ')),
    tests: read('test').map(parseTest),
    checks: read('check').flatMap((line) => line.split(' ')),
    untested: read('untested')[0],
    unchecked: read('unchecked')[0],
  }
  for (const key of values.keys())
    throw new TypeError(`interface-sentences.txt: unknown key ${key}`)
  return coverage
}

function parseLine(line: string): readonly [key: string, value: string] {
  const [, key = '', value = ''] = /^(\S+) (.*)$/.exec(line.trim()) ?? []
  return [key, value]
}

function parseTest(value: string): TestReference {
  const [, file = '', name = ''] = /^(\S+) > (.+)$/.exec(value) ?? []
  return { file, name }
}

/** The coverage of a requirement, with what it shares with its section. */
export function mergeCoverage(shared: Coverage, own: Coverage): Coverage {
  const checks = [...shared.checks, ...own.checks]
  const tests = [...shared.tests, ...own.tests]
  return {
    operations: own.operations.length > 0 ? own.operations : shared.operations,
    tests,
    checks,
    untested: own.untested ?? (tests.length > 0 ? undefined : shared.untested),
    unchecked: own.unchecked ?? (checks.length > 0 ? undefined : shared.unchecked),
  }
}
