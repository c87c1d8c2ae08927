import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

// What was renamed or deleted in src must not live on in the package.
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })

const { status } = spawnSync(
  process.execPath,
  ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json'],
  { cwd: root, stdio: 'inherit' },
)
process.exitCode = status ?? 1
