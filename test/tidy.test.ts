import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { renderPage as performancePage } from '../bench/page.ts'
import type { Results } from '../bench/results.ts'
import { referencePages } from '../scripts/reference.ts'
import { main } from '../src/cli/main.ts'

/** What each folder of src may import, besides itself and Node. */
const allowed: Record<string, readonly string[]> = {
  contract: ['typebox'],
  text: [],
  client: ['contract', 'jose'],
  check: ['contract', 'text'],
  provider: ['contract'],
  catalogue: ['contract'],
  auth: ['contract', 'text', 'catalogue', 'jose'],
  load: ['contract', 'text', 'provider', 'catalogue', 'typebox'],
  generate: ['contract'],
  storage: [
    'contract',
    'text',
    'provider',
    'catalogue',
    'auth',
    'load',
    'pg',
    'pg-copy-streams',
    'pg-protocol',
  ],
  http: ['contract', 'text', 'provider', 'catalogue', 'auth', 'fastify', 'typebox'],
  settings: ['http'],
  observe: [
    'contract',
    'auth',
    'storage',
    'http',
    'fastify',
    'pino',
    'prom-client',
    '@opentelemetry/api',
  ],
  server: ['contract', 'auth', 'storage', 'http', 'settings', 'observe', 'pino'],
  cli: [
    'contract',
    'provider',
    'auth',
    'load',
    'generate',
    'storage',
    'settings',
    'observe',
    'server',
    'client',
    'check',
    'commander',
  ],
}

/** These run anywhere, a browser included. */
const foldersWithoutNode = ['contract', 'client']

const lineCountMax = 400

/** A block of code in Markdown. */
const fence = /^ *(`{3,}|~{3,})[^\n]*\n(.*?)^ *\1 *$/gms

interface File {
  readonly path: string
  readonly text: string
}

const root = fileURLToPath(new URL('..', import.meta.url))
const files = projectFiles()
const paths = new Set(files.map(({ path }) => path))
const folders = new Set([...paths].flatMap(foldersAbove))
const code = files.filter(({ path }) =>
  /^(src|test|bench|scripts|soak|bin)\/.*\.[cm]?[jt]s$/.test(path),
)
const sources = code.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'))
const pages = files.filter(({ path }) => path.endsWith('.md'))
const anchors = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]))
const manifest = JSON.parse(textOf('package.json')) as {
  scripts: Record<string, string>
  dependencies: Record<string, string>
}

describe('the code', () => {
  it('imports only what its folder is allowed to', () => {
    const trespasses = sources.flatMap(({ path, text }) =>
      importsOf(text)
        .filter((target) => !mayImport(path, target))
        .map((target) => `${path} imports ${target}`),
    )

    assert.deepEqual(trespasses, [])
  })

  it('has no file that is too long to read', () => {
    const long = code
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > lineCountMax)

    assert.deepEqual(long, [])
  })

  it('reads the environment in commands, servers and tests that start processes only', () => {
    const outside = code.filter(
      ({ path }) => !/^(src\/(cli|server)|test|scripts\/test)\b/.test(path),
    )

    assert.deepEqual(found(outside, /\bprocess\s*(\?\.|\.|\[)\s*['"`]?env\b|node:process/), [])
  })

  it('looks nothing up in an object literal, which has more names than are written in it', () => {
    assert.deepEqual(found(sources, /\}\??\.?\[[A-Za-z]/), [])
  })

  it('exports by name', () => {
    assert.deepEqual(found(sources, /\bexport\s+default\b|\bas\s+default\b/), [])
  })

  it('runs all of its tests', () => {
    const tests = code.filter(({ path }) => path.endsWith('.test.ts'))

    assert.deepEqual(found(tests, /\.(only|skip|todo)\(|\b(only|skip|todo): (?!false)/), [])
  })
})

describe('every file', () => {
  it('is finished', () => {
    const markers = ['TO-DO', 'FIX-ME', 'XX-X', 'HA-CK'].map((word) => word.replace('-', ''))
    const written = files.filter(({ path }) => path !== 'package-lock.json')

    assert.deepEqual(found(written, new RegExp(`\\b(${markers.join('|')})\\b`)), [])
  })

  it('works on any machine: no path of one, no registry', () => {
    const tops = ['home', 'root', 'Users', 'mnt', 'work', 'workspace', 'builds'].join('|')
    const hosts = ['npmjs', 'yarnpkg', 'npmmirror'].join('|')
    const place = new RegExp(`(?<![\\w.])[/\\\\](${tops})[/\\\\]|\\bregistry\\.(${hosts})\\b`)

    assert.deepEqual(found(files, place), [])
  })

  it('is installed from wherever npm is told to', () => {
    const lock = JSON.parse(textOf('package-lock.json')) as {
      packages: Record<string, { resolved?: string }>
    }
    const pinned = Object.keys(lock.packages).filter((name) => lock.packages[name]?.resolved)

    assert.deepEqual(pinned, [])
  })
})

describe('the documentation', () => {
  it('has links that lead somewhere', () => {
    const broken = pages.flatMap((page) =>
      linksOf(page.text)
        .filter((link) => !leadsSomewhere(page.path, link))
        .map((link) => `${page.path} links to ${link}`),
    )

    assert.deepEqual(broken, [])
  })

  it('names npm scripts that exist', () => {
    const unknown = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\bnpm (?:run(?: -\S+)* ([a-z][\w:-]*)|(test|start)\b)/g)]
        .map(([, script, short]) => script ?? short ?? '')
        .filter((script) => !Object.hasOwn(manifest.scripts, script))
        .map((script) => `${path} names npm run ${script}`),
    )

    assert.deepEqual(unknown, [])
  })

  it('shows commands that exist', async () => {
    const commands = await commandNames()
    const shown = pages.filter(({ path }) => /^(README\.md|docs\/guides\/.*)$/.test(path))
    const unknown = shown.flatMap(({ path, text }) =>
      commandLines(text)
        .flatMap((line) => [...line.matchAll(/\bholdfast(?:\.js)?\s+([a-z][a-z-]*)/g)])
        .map(([, command = '']) => command)
        .filter((command) => !commands.includes(command))
        .map((command) => `${path} shows holdfast ${command}`),
    )

    assert.deepEqual(unknown, [])
  })

  it('has the reference that the code makes, and nothing beside it', () => {
    const expected = referencePages()
    const there = [...paths].filter((path) => path.startsWith('docs/reference/'))

    assert.deepEqual(there.sort(), [...expected.keys()].sort(), 'run npm run docs')
    for (const [path, text] of expected)
      assert.ok(textOf(path) === text, `${path}: run npm run docs`)
  })

  it('has the performance page that the stored results make', () => {
    const results = JSON.parse(textOf('bench/results.json')) as Results

    assert.ok(
      textOf('docs/explanation/performance.md') === performancePage(results),
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

  it('has every decision record that the code names, and lists every record once', () => {
    const records = [...paths].filter((path) => /^docs\/decisions\/\d{4}-/.test(path))
    const names = records.map((path) => posix.basename(path, '.md'))
    const named = code.flatMap(({ path, text }) =>
      [...text.matchAll(/(?:docs\/decisions\/|decision: ')(\d{4}(?:-[a-z0-9-]+)?)/g)]
        .filter(
          ([, name = '']) => !names.some((known) => known === name || known.startsWith(`${name}-`)),
        )
        .map(([, name]) => `${path} names ${name}`),
    )
    const listed = linksOf(textOf('docs/decisions/README.md')).filter((link) =>
      /^\d{4}-/.test(link),
    )

    assert.deepEqual(named, [])
    assert.deepEqual(listed.sort(), names.map((name) => `${name}.md`).sort())
  })

  it('says what every runtime dependency is for', () => {
    const text = textOf('docs/explanation/dependencies.md')
    const unnamed = Object.keys(manifest.dependencies).filter(
      (name) => !new RegExp(`(?<![\\w@/-])${RegExp.escape(name)}(?![\\w-])`).test(text),
    )

    assert.deepEqual(unnamed, [])
  })
})

/** Every text file of the project: all that is not listed in .gitignore, so that a copy without git does. */
function projectFiles(): File[] {
  const ignored = textOf('.gitignore')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.replace(/\/$/, ''))
  return globSync('**', {
    cwd: root,
    withFileTypes: true,
    exclude: (entry) => isLeftOut(entry, ignored),
  })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(root, posix.join(entry.parentPath, entry.name)))
    .map((path) => ({ path, text: textOf(path) }))
    .filter(({ text }) => !text.includes('\0'))
}

function isLeftOut({ name }: { readonly name: string }, ignored: readonly string[]): boolean {
  return name === '.git' || ignored.some((pattern) => posix.matchesGlob(name, pattern))
}

function foldersAbove(path: string): string[] {
  const folder = posix.dirname(path)
  return folder === '.' ? [folder] : [folder, ...foldersAbove(folder)]
}

function textOf(path: string): string {
  return readFileSync(posix.join(root, path), 'utf8')
}

/** Where a pattern is met, as `path:line: text`. */
function found(among: readonly File[], pattern: RegExp): string[] {
  return among.flatMap(({ path, text }) =>
    text
      .split('\n')
      .map((line, index) => ({ line, place: `${path}:${index + 1}` }))
      .filter(({ line }) => pattern.test(line))
      .map(({ line, place }) => `${place}: ${line.trim().slice(0, 100)}`),
  )
}

/**
 * What is imported, in any form. An import of something computed stands as it is, and is allowed
 * nowhere. What only looks like an import is taken for one: it is easily reworded.
 */
function importsOf(text: string): string[] {
  const named = text.matchAll(/\b(?:from|import)\s*\(?\s*(['"])([\w@./:#-]+)\1/g)
  const computed = text.matchAll(/\bimport\s*\((?!\s*(['"])[\w@./:#-]+\1\s*[,)])[^)]*\)/g)
  return [...[...named].map(([, , target = '']) => target), ...[...computed].map(([call]) => call)]
}

function mayImport(path: string, target: string): boolean {
  const folder = path.split('/')[1] ?? ''
  if (target.startsWith('node:')) return !foldersWithoutNode.includes(folder)
  if (!target.startsWith('.')) {
    const [name = '', inner] = target.split('/')
    return !!allowed[folder]?.includes(name.startsWith('@') ? `${name}/${inner}` : name)
  }
  const [top, to = ''] = posix.join(posix.dirname(path), target).split('/')
  return top === 'src' && folder in allowed && (to === folder || !!allowed[folder]?.includes(to))
}

/** The lines of code blocks without comments; of a block with prompts, those behind a prompt. */
function commandLines(text: string): string[] {
  return [...text.matchAll(fence)].flatMap(([, , block = '']) => {
    const lines = block.replaceAll('\\\n', ' ').split('\n')
    const prompted = lines.filter((line) => /^\s*\$ /.test(line))
    return (prompted.length > 0 ? prompted : lines).map((line) => line.replace(/(^|\s)#.*$/, ''))
  })
}

/** Targets of links in this repository. Code is not prose: what looks like a link there is none. */
function linksOf(text: string): string[] {
  const prose = text.replaceAll(fence, '').replaceAll(/(`+)[^`].*?\1/g, '')
  const inline = prose.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)
  const defined = prose.matchAll(/^ *\[[^\]]+\]:\s*<?([^\s>]+)/gm)
  const html = prose.matchAll(/\b(?:href|src)="([^"]+)"/g)
  return [...inline, ...defined, ...html]
    .map(([, target = '']) => target)
    .filter((target) => !/^([a-z][a-z+.-]*:|\/\/)/i.test(target))
}

function leadsSomewhere(from: string, link: string): boolean {
  const [file = '', anchor] = decodeURI(link).split('#')
  const path = file ? posix.join(posix.dirname(from), file).replace(/\/$/, '') : from
  return anchor ? !!anchors.get(path)?.has(anchor) : paths.has(path) || folders.has(path)
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(text: string): Set<string> {
  const given = new Set<string>()
  for (const [, heading = ''] of text.replaceAll(fence, '').matchAll(/^#{1,6} +(.+?)[ #]*$/gm)) {
    const slug = heading
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-')
    let anchor = slug
    for (let again = 1; given.has(anchor); again += 1) anchor = `${slug}-${again}`
    given.add(anchor)
  }
  return given
}

/** As `holdfast --help` lists them. */
async function commandNames(): Promise<string[]> {
  let help = ''
  const out = (text: string) => {
    help += text
  }
  const write = async (text: string) => out(text)
  await main(['--help'], {
    out,
    error: out,
    status: out,
    write,
    environment: {},
    isInteractive: false,
  })
  const [, list = ''] = help.split('Commands:\n')
  return [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name)
}
