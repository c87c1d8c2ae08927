import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installProgram } from './program.ts'

/**
 * Makes the folder for all files of a run, such as compiled code and databases, and makes it the folder for temporary
 * files. It is in memory if there is room: most tests create a database, and a disk would take most of their time.
 */
export function makeRunFolder(): string {
  const memory = '/dev/shm'
  const roomMin = 4 * 1024 ** 3
  const hasRoom = existsSync(memory) && freeBytes(memory) >= roomMin
  const made = mkdtempSync(join(hasRoom ? memory : tmpdir(), 'holdfast-tests-'))
  // PostgreSQL may run as another user.
  chmodSync(made, 0o755)
  process.env['TMPDIR'] = made
  return made
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

/**
 * Loading their files takes a quarter of the CPU time of a start, and a run starts hundreds of processes. Those of the
 * driver of PostgreSQL are loaded by their paths. The tests of the published package load all packages separately.
 */
const bundledPackages = ['commander', 'fastify', 'jose', 'oidc-provider', 'pino', 'undici']

export interface Program {
  /** The command as published, except for its packages. Tests start it. */
  readonly path: string
  /** Hundreds of processes run the same code: it is compiled once. */
  readonly compileCache: string
}

export async function buildForTests(folder: string): Promise<Program> {
  const path = await installProgram(join(folder, 'package'), bundledPackages)
  return { path, compileCache: join(folder, 'compiled') }
}

/**
 * With the default sizes of the young and the old generation, collections take 10 % more CPU time. The compiler for code
 * that runs for long takes more than it saves: most tests run their code a few times.
 */
const fastFlags = ['--max-semi-space-size=64', '--initial-old-space-size=512', '--no-turbofan']

/** Runs test files with flags of Node. Returns the exit status. */
export async function runTests(
  { path, compileCache }: Program,
  flags: readonly string[],
  files: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const run = spawn(process.execPath, ['--test', ...fastFlags, ...flags, ...files], {
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: compileCache,
      PROGRAM_FOR_TESTS: path,
      ...environment,
    },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => run.kill(signal))
  }
  const [status] = await once(run, 'close')
  return status ?? 1
}

/** Writes one test file for each text. */
export function writeGroups(folder: string, texts: readonly string[]): string[] {
  return texts.map((text, index) => {
    // Files start in the order of their names.
    const path = join(folder, `group-${String(index).padStart(2, '0')}.test.mjs`)
    writeFileSync(path, text)
    return path
  })
}

/** The files of no group. */
export function listOthers(
  groups: readonly (readonly string[])[],
  files: readonly string[],
): string[] {
  return files.filter((file) => !groups.flat().includes(file))
}

/** All files are loaded before the first is evaluated, so that no test starts before all are declared. */
export function formatImports(files: readonly string[]): string {
  return files.map((file) => `import ${toSpecifier(file)}\n`).join('')
}

export function toSpecifier(file: string): string {
  return JSON.stringify(pathToFileURL(file).href)
}
