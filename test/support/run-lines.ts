import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Scope } from './engines.ts'
import { holdfastProgram, run, type Server, startServer } from './process.ts'
import { findHoldfastArguments, findShownCommands } from './shown-commands.ts'

/** Where the lines of a guide run. */
export interface Shell {
  readonly cwd: string
  readonly settings?: Readonly<Record<string, string>>
  readonly program?: string
}

/** Runs a line of a guide in a shell, which must succeed. Returns what it prints. */
export async function runLine(
  line: string,
  { cwd, settings = {}, program = holdfastProgram }: Shell,
): Promise<string> {
  const script = `npx() { shift; "$NODE" "$LAUNCHER" "$@"; }\n${line}`
  const { status, stdout, stderr } = await run(['bash', '-o', 'pipefail', '-c', script], {
    cwd,
    environment: {
      PATH: process.env['PATH'],
      NODE: process.execPath,
      LAUNCHER: program,
      ...settings,
    },
  })
  assert.equal(status, 0, `${line}\n${stdout}${stderr}`)
  return stdout
}

export interface GuideRun {
  /** What each line printed that is not a server, in the order of the text. */
  readonly printed: readonly string[]
  readonly servers: readonly Server[]
}

/**
 * Runs all command lines of a guide in the order of the text. A server listens on a free port until the scope ends. `adapt`
 * replaces what only the reader knows, such as a host name, and may look at the servers so far. An empty line is not run.
 */
export async function runGuideLines(
  scope: Scope,
  guide: string,
  shell: Shell,
  adapt: (line: string, servers: readonly Server[]) => string | Promise<string> = (line) => line,
): Promise<GuideRun> {
  const text = readFileSync(new URL(`../../docs/guides/${guide}.md`, import.meta.url), 'utf8')
  const lines = findShownCommands(text).filter((line) =>
    /^(\w+=\S+ )*(npx holdfast|curl) /.test(line),
  )
  assert.ok(lines.length > 0, guide)
  const printed: string[] = []
  const servers: Server[] = []
  for (const line of lines) {
    const adapted = await adapt(line, servers)
    const [args = []] = findHoldfastArguments(adapted)
    if (adapted === '') continue
    if (args[0] === 'serve') servers.push(await serveLine(scope, adapted, args, shell))
    else printed.push(await runLine(adapted, shell))
  }
  return { printed, servers }
}

function serveLine(
  scope: Scope,
  line: string,
  args: readonly string[],
  { cwd, settings }: Shell,
): Promise<Server> {
  const [, assigned = ''] = /^((?:\w+=\S+ )*)/.exec(line) ?? []
  const own = assigned
    .trim()
    .split(' ')
    .filter(Boolean)
    .map((assignment) => assignment.split('='))
  const environment = { ...settings, ...Object.fromEntries(own) }
  return startServer(scope, args, {}, { cwd, environment })
}
