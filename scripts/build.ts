import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
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
const compiled = mkdtempSync(join(tmpdir(), 'holdfast-compiled-'))
compile(compiled)
for (const name of ['contract', 'design', 'client', 'check']) {
  cpSync(join(compiled, name), join(folder, name), { recursive: true })
}
copyDeclarations(join('server', 'index.d.ts'))
rmSync(compiled, { recursive: true })

await buildProgram(join(folder, 'program'))
await buildConsole(join(folder, 'console'))

mkdirSync(documents)
for (const name of publishedDocumentNames) {
  const text = JSON.stringify(buildPublishedDocument(name, version), null, 2)
  writeFileSync(join(documents, `${name}.json`), `${text}\n`)
}

function compile(output: string): void {
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc')
  const { status } = spawnSync(
    process.execPath,
    // `npm run check` checks the types. Several checkers would each infer the types that they share.
    [
      ...[compiler, '--project', 'tsconfig.build.json', '--outDir', output],
      ...['--noCheck', '--checkers', '1'],
    ],
    { cwd: root, stdio: 'inherit' },
  )
  if (status !== 0) process.exit(status ?? 1)
}

/** Copies a declaration and those that it imports: the others are internal. */
function copyDeclarations(path: string): void {
  const target = join(folder, path)
  if (existsSync(target)) return
  const text = readFileSync(join(compiled, path), 'utf8')
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
  for (const [, imported = ''] of text.matchAll(/from '(\.[^']+)\.ts'/g)) {
    copyDeclarations(join(dirname(path), `${imported}.d.ts`))
  }
}
