import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildProgram, root } from './program.ts'

const [folder = join(root, 'dist')] = process.argv.slice(2)

// Remove the output of files that were renamed or deleted.
rmSync(folder, { recursive: true, force: true })

// The modules that other programs import, with their types.
const compiler = join('node_modules', 'typescript', 'bin', 'tsc')
const { status } = spawnSync(
  process.execPath,
  [compiler, '--project', 'tsconfig.build.json', '--outDir', folder],
  { cwd: root, stdio: 'inherit' },
)
if (status !== 0) process.exit(status ?? 1)

await buildProgram(join(folder, 'program'))
