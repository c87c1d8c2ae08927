import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { renderPage as performancePage } from '../bench/page.ts'
import type { Results } from '../bench/results.ts'
import { generatedPages } from '../scripts/reference.ts'
import { operations } from '../src/contract/index.ts'
import { loadMetrics, serverMetrics } from '../src/server/observe/metric-definitions.ts'
import { allowed } from './support/allowed-imports.ts'
import { type File, findImportCycles, findImports, usesProgram } from './support/imports.ts'
import { findAnchors, findRelativeLinks } from './support/markdown-links.ts'
import { forbiddenWords, replacements } from './support/vocabulary.ts'

/** Imports the file of a user. */
const computedImport = { path: 'src/cli/load/map-file.ts', target: 'import(href)' }

/** These folders also run in browsers. */
const foldersWithoutNode = ['contract', 'client']

/** The console is compiled for browsers, without the types of Node that its tests need. */
const consoleTests = /^test\/(console|explorer)\//

const lineCountMax = 400

/** Of Holdfast, and of the tools that test its OpenAPI documents. */
const lockFiles = ['package-lock.json', 'test/openapi/package-lock.json']

const root = fileURLToPath(new URL('..', import.meta.url))
const allFiles = projectFiles()
const files = allFiles.filter(({ text }) => !text.includes('\0'))
const paths = new Set(allFiles.map(({ path }) => path))
const folders = new Set([...paths].flatMap(foldersAbove))
const code = files.filter(({ path }) =>
  /^(src|test|bench|scripts|soak|bin)\/.*\.[cm]?[jt]sx?$/.test(path),
)
const sources = code.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'))
const pages = files.filter(({ path }) => path.endsWith('.md'))
const anchors = new Map(pages.map(({ path, text }) => [path, findAnchors(text)]))
const manifest = JSON.parse(readText('package.json')) as {
  scripts: Record<string, string>
  dependencies: Record<string, string>
}

describe('the code', () => {
  it('imports only what its folder is allowed to', () => {
    const violations = sources.flatMap(({ path, text }) =>
      findImports(text)
        .filter((target) => !mayImport(path, target))
        .map((target) => `${path} imports ${target}`),
    )

    assert.deepEqual(violations, [])
  })

  it('has the folders that the README lists', () => {
    const listed = [...readText('README.md').matchAll(/^\| `src\/([a-z]+)` \|/gm)]
    const existing = new Set(sources.map(({ path }) => path.split('/')[1]))

    assert.deepEqual(listed.map(([, name]) => name).sort(), [...existing].sort())
  })

  it('has no import cycles, type imports included', () => {
    assert.deepEqual(findImportCycles(sources), [])
  })

  it(`has no file longer than ${lineCountMax} lines`, () => {
    const long = code
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > lineCountMax)

    assert.deepEqual(long, [])
  })

  it('reads environment variables only in commands, servers and tests', () => {
    const outside = code.filter(
      ({ path }) => !/^(src\/(cli|server)|test|scripts\/test)\b/.test(path),
    )

    assert.deepEqual(findLines(outside, /\bprocess\s*(\?\.|\.|\[)\s*['"`]?env\b|node:process/), [])
  })

  it('does not index an object literal, which inherits names from Object.prototype', () => {
    assert.deepEqual(findLines(sources, /\}\??\.?\[[A-Za-z]/), [])
  })

  it('has no default exports', () => {
    assert.deepEqual(findLines(sources, /\bexport\s+default\b|\bas\s+default\b/), [])
  })

  it('has tests that start nothing beside the tested file, and all others in test', () => {
    const tests = code.filter(({ path }) => path.endsWith('.test.ts'))
    const inTest = tests.filter(({ path }) => path.startsWith('test/') && !consoleTests.test(path))
    const inSource = tests.filter(({ path }) => path.startsWith('src/'))

    assert.deepEqual(
      inTest
        .filter((test) => !usesProgram(test, files) && !test.text.includes("'node:fs'"))
        .map(({ path }) => path),
      [],
      'belongs beside the file that it tests',
    )
    assert.deepEqual(
      inSource.filter((test) => usesProgram(test, files)).map(({ path }) => path),
      [],
      'belongs in a folder of test',
    )
  })

  it('skips no test', () => {
    const tests = code.filter(({ path }) => /\.(test|citus)\.ts$/.test(path))

    assert.deepEqual(findLines(tests, /\.(only|skip|todo)\(|\b(only|skip|todo): (?!false)/), [])
  })

  it('has no time limits in tests, which fail on a busy machine', () => {
    const exempt = ['test/support/database-file.ts', 'test/tidy.test.ts']
    const tests = code.filter(({ path }) => path.startsWith('test/') && !exempt.includes(path))
    const limits =
      /\btimeout(: ([1-9]|\w+Ms\b)|,? \})|AbortSignal\.timeout\(|setDefaultTimeout\((?!giveUpMs\))/

    assert.deepEqual(findLines(tests, limits), [])
  })
})

describe('every file', () => {
  it('uses the established terms', () => {
    const exempt = ['CHANGELOG.md', 'LICENSE', ...lockFiles, 'test/support/vocabulary.ts']
    const used = files
      .filter(({ path }) => !exempt.includes(path))
      .flatMap(({ path, text }) =>
        [path, ...text.split('\n')].flatMap((line, index) =>
          forbiddenWords(line).map(
            (word) => `${path}:${index}: ${word} (better: ${replacements.get(word)})`,
          ),
        ),
      )

    assert.deepEqual(used, [])
  })

  it('has no unfinished-work markers', () => {
    const markers = ['TO-DO', 'FIX-ME', 'XX-X', 'HA-CK'].map((word) => word.replace('-', ''))
    const written = files.filter(({ path }) => !lockFiles.includes(path))

    assert.deepEqual(findLines(written, new RegExp(`\\b(${markers.join('|')})\\b`)), [])
  })

  it('has no conflict of a merge', () => {
    assert.deepEqual(findLines(files, /^[<>]{7} /), [])
  })

  it('contains no path of a particular machine and no package registry', () => {
    const tops = ['home', 'root', 'Users', 'mnt', 'work', 'workspace', 'builds'].join('|')
    const hosts = ['npmjs', 'yarnpkg', 'npmmirror'].join('|')
    const pattern = new RegExp(`(?<![\\w.])[/\\\\](${tops})[/\\\\]|\\bregistry\\.(${hosts})\\b`)

    assert.deepEqual(findLines(files, pattern), [])
  })

  it('can be installed from any registry: the lock files pin no URL', () => {
    const locks = files.filter(({ path }) => lockFiles.includes(path))

    assert.equal(locks.length, lockFiles.length)
    assert.deepEqual(findLines(locks, /"resolved":/), [])
  })
})

describe('the alerts for Prometheus', () => {
  const rules = readText('packaging/prometheus/holdfast.rules.yml')
  const names = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, name]) => name)

  const alerts = names(rules, /- alert: (\w+)/g).sort()

  it('use only metrics and operations that exist', () => {
    const expressions = rules.replaceAll(/^ *(#|- alert:|summary:).*$/gm, '')
    const metrics = names(expressions, /\b((?:holdfast|process)_\w+)/g)
    const used = names(expressions, /operation="(\w+)"/g)
    const known = new Set(Object.keys({ ...serverMetrics, ...loadMetrics }))
    const references = new Set(Object.values(operations).map(({ ref }) => ref as string))

    assert.ok(metrics.length > 20)
    assert.deepEqual(
      [
        ...metrics.filter((name = '') => !known.has(name.replace(/_(count|bucket|sum)$/, ''))),
        ...used.filter((name = '') => !references.has(name)),
      ],
      [],
    )
  })

  it('have a test each', () => {
    const tests = readText('packaging/prometheus/holdfast.rules.test.yml')
    const fired = names(tests, /^ *- alertname: (\w+)$/gm)

    assert.deepEqual([...new Set(fired)].sort(), alerts)
  })

  it('are listed in the guide', () => {
    const listed = names(readText('docs/guides/observe.md'), /\b(Holdfast[A-Z]\w+)/g)

    assert.deepEqual([...new Set(listed)].sort(), alerts)
  })
})

describe('the documentation', () => {
  it('has no dead links', () => {
    const broken = pages.flatMap((page) =>
      findRelativeLinks(page.text)
        .filter((link) => !resolves(page.path, link))
        .map((link) => `${page.path} links to ${link}`),
    )

    assert.deepEqual(broken, [])
  })

  it('lists every guide, reference page and explanation in its index', () => {
    const listed = findRelativeLinks(readText('docs/README.md')).map((link) => `docs/${link}`)
    const missing = pages.filter(
      ({ path }) => /^docs\/(guides|reference|explanation)\//.test(path) && !listed.includes(path),
    )

    assert.deepEqual(
      missing.map(({ path }) => path),
      [],
    )
  })

  it('has tables of values, not of paragraphs', () => {
    const cellLengthMax = 220
    const long = pages
      .filter(({ path }) => /^((README|CONTRIBUTING)\.md|docs\/guides\/.*)$/.test(path))
      .flatMap(({ path, text }) =>
        (text.match(/^\|.*$/gm) ?? [])
          .flatMap((row) => row.replaceAll(/\]\([^)]*\)/g, ']').split(' | '))
          .filter((cell) => cell.length > cellLengthMax)
          .map((cell) => `${path}: ${cell.slice(0, 60)}`),
      )

    assert.deepEqual(long, [])
  })

  it('mentions only npm scripts that exist', () => {
    const unknown = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\bnpm (?:run(?: -\S+)* ([a-z][\w:-]*)|(test|start)\b)/g)]
        .map(([, script, short]) => script ?? short ?? '')
        .filter((script) => !Object.hasOwn(manifest.scripts, script))
        .map((script) => `${path} names npm run ${script}`),
    )

    assert.deepEqual(unknown, [])
  })

  it('has the pages that are generated from the code, and no others in the reference', () => {
    const expected = generatedPages()
    const reference = [...paths].filter((path) => path.startsWith('docs/reference/'))

    assert.deepEqual(
      reference.filter((path) => !expected.has(path)),
      [],
      'run npm run docs',
    )
    for (const [path, text] of expected)
      assert.ok(paths.has(path) && readText(path) === text, `${path}: run npm run docs`)
  })

  it('has the performance page that is generated from the stored results', () => {
    const results = JSON.parse(readText('bench/results.json')) as Results

    assert.ok(
      readText('docs/explanation/performance.md') === performancePage(results),
      'run npm run bench -- --page',
    )
  })

  it('names source files that exist', () => {
    const missing = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/`(?:src\/)?([a-z]+\/[a-z/-]+\.ts)`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !paths.has(`src/${name}`) && !paths.has(name))
        .map((name) => `${path} names ${name}`),
    )

    assert.deepEqual(missing, [])
  })

  it('has every decision record that the code mentions, and lists every record once', () => {
    const records = [...paths].filter((path) => /^docs\/decisions\/\d{4}-/.test(path))
    const names = records.map((path) => posix.basename(path, '.md'))
    const named = code.flatMap(({ path, text }) =>
      [...text.matchAll(/(?:docs\/decisions\/|decision: ')(\d{4}(?:-[a-z0-9-]+)?)/g)]
        .filter(
          ([, name = '']) => !names.some((known) => known === name || known.startsWith(`${name}-`)),
        )
        .map(([, name]) => `${path} names ${name}`),
    )
    const listed = findRelativeLinks(readText('docs/decisions/README.md')).filter((link) =>
      /^\d{4}-/.test(link),
    )

    assert.deepEqual(named, [])
    assert.deepEqual(listed.sort(), names.map((name) => `${name}.md`).sort())
  })

  it('explains every runtime dependency', () => {
    const text = readText('docs/explanation/dependencies.md')
    const missing = Object.keys(manifest.dependencies).filter(
      (name) => !new RegExp(`(?<![\\w@/-])${RegExp.escape(name)}(?![\\w-])`).test(text),
    )

    assert.deepEqual(missing, [])
  })
})

/** Every text file of the project that is not in .gitignore. It does not need a git repository. */
function projectFiles(): File[] {
  const ignored = readText('.gitignore')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.replace(/\/$/, ''))
  return globSync('**', {
    cwd: root,
    withFileTypes: true,
    exclude: (entry) => isExcluded(entry, ignored),
  })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(root, posix.join(entry.parentPath, entry.name)))
    .map((path) => ({ path, text: readText(path) }))
}

function isExcluded({ name }: { readonly name: string }, ignored: readonly string[]): boolean {
  return name === '.git' || ignored.some((pattern) => posix.matchesGlob(name, pattern))
}

function foldersAbove(path: string): string[] {
  const folder = posix.dirname(path)
  return folder === '.' ? [folder] : [folder, ...foldersAbove(folder)]
}

function readText(path: string): string {
  return readFileSync(posix.join(root, path), 'utf8')
}

/** Lines that match a pattern, as `path:line: text`. */
function findLines(among: readonly File[], pattern: RegExp): string[] {
  return among.flatMap(({ path, text }) =>
    text
      .split('\n')
      .map((line, index) => ({ line, place: `${path}:${index + 1}` }))
      .filter(({ line }) => pattern.test(line))
      .map(({ line, place }) => `${place}: ${line.trim().slice(0, 100)}`),
  )
}

function mayImport(path: string, target: string): boolean {
  const folder = findRules(posix.dirname(path))
  const rules = allowed[folder]
  if (path === computedImport.path && target === computedImport.target) return true
  if (target.startsWith('node:')) return !foldersWithoutNode.includes(folder)
  if (!target.startsWith('.')) {
    const [name = '', inner] = target.split('/')
    return !!rules?.includes(name.startsWith('@') ? `${name}/${inner}` : name)
  }
  const imported = posix.join(posix.dirname(path), target)
  const to = findRules(posix.dirname(imported))
  const mayHold = [folder, ...(rules ?? [])]
  return !!rules && mayHold.some((name) => to === name || to.startsWith(`${name}/`))
}

/** The name of the innermost folder around `path` that has rules. */
function findRules(path: string): string {
  const name = path.replace(/^src\/?/, '')
  return name === '' || name in allowed ? name : findRules(posix.dirname(path))
}

function resolves(from: string, link: string): boolean {
  const [file = '', anchor] = decodeURI(link).split('#')
  const path = file ? posix.join(posix.dirname(from), file).replace(/\/$/, '') : from
  return anchor ? !!anchors.get(path)?.has(anchor) : paths.has(path) || folders.has(path)
}
