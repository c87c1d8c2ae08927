import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const [folder = join(root, 'dist')] = process.argv.slice(2)
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>
}

// What was renamed or deleted in src must not live on in the package.
rmSync(folder, { recursive: true, force: true })

// What other programs import: modules with their types.
const compiler = join('node_modules', 'typescript', 'bin', 'tsc')
const { status } = spawnSync(
  process.execPath,
  [compiler, '--project', 'tsconfig.build.json', '--outDir', folder],
  { cwd: root, stdio: 'inherit' },
)
if (status !== 0) process.exit(status ?? 1)

// The program in few files, since each takes its time at every start. TypeBox goes in, which is 700 of them;
// what listens, signs and talks to databases stays a dependency that can be seen, and mended alone.
const program = join(folder, 'program')
await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/main.ts'],
  outdir: program,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node26',
  external: Object.keys(dependencies).filter((name) => name !== 'typebox'),
  logLevel: 'warning',
})
copyFileSync(join(root, 'node_modules', 'typebox', 'license'), join(program, 'typebox-license'))
