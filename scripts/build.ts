import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildOpenApiDocument, documentNames } from '../src/contract/index.ts'
import { version } from '../src/server/version.ts'
import { buildConsole, buildProgram, root } from './program.ts'

const folder = join(root, 'dist')
const documents = join(root, 'openapi')

// Remove the output of files that were renamed or deleted.
for (const output of [folder, documents]) rmSync(output, { recursive: true, force: true })

// The modules that other programs import, with their types.
const compiler = join('node_modules', 'typescript', 'bin', 'tsc')
const { status } = spawnSync(
  process.execPath,
  [compiler, '--project', 'tsconfig.build.json', '--outDir', folder],
  { cwd: root, stdio: 'inherit' },
)
if (status !== 0) process.exit(status ?? 1)

await buildProgram(join(folder, 'program'))
await buildConsole(join(folder, 'console'))

mkdirSync(documents)
for (const name of documentNames) {
  const text = JSON.stringify(buildOpenApiDocument(name, version), null, 2)
  writeFileSync(join(documents, `${name}.json`), `${text}\n`)
}
