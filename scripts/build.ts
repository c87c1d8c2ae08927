import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { publishedDocumentNames } from '../src/contract/openapi/document-names.ts'
import { buildPublishedDocument } from '../src/platform/third-party-api/document.ts'
import { version } from '../src/server/version.ts'
import { buildConsole, buildProgram, root } from './program.ts'

const folder = join(root, 'dist')
const documents = join(root, 'openapi')

// Remove the output of files that were renamed or deleted.
for (const output of [folder, documents]) rmSync(output, { recursive: true, force: true })

// The modules that other programs import, with their types. The module `holdfast/server` is bundled with the program.
compile('tsconfig.build.json', folder)
const declarations = mkdtempSync(join(tmpdir(), 'holdfast-declarations-'))
compile('tsconfig.server.json', declarations)
copyDeclarations(join('server', 'index.d.ts'))
rmSync(declarations, { recursive: true })

await buildProgram(join(folder, 'program'))
await buildConsole(join(folder, 'console'))

mkdirSync(documents)
for (const name of publishedDocumentNames) {
  const text = JSON.stringify(buildPublishedDocument(name, version), null, 2)
  writeFileSync(join(documents, `${name}.json`), `${text}\n`)
}

function compile(project: string, output: string): void {
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc')
  const { status } = spawnSync(
    process.execPath,
    // Several checkers would each check the types that they share.
    [compiler, '--checkers', '1', '--project', project, '--outDir', output],
    { cwd: root, stdio: 'inherit' },
  )
  if (status !== 0) process.exit(status ?? 1)
}

/** Copies a declaration and those that it imports: the others are internal. */
function copyDeclarations(path: string): void {
  const target = join(folder, path)
  if (existsSync(target)) return
  const text = readFileSync(join(declarations, path), 'utf8')
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
  for (const [, imported = ''] of text.matchAll(/from '(\.[^']+)\.ts'/g)) {
    copyDeclarations(join(dirname(path), `${imported}.d.ts`))
  }
}
