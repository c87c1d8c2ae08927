import assert from 'node:assert/strict'
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Terminal } from '../../src/server/terminal.ts'
import type { Scope } from './engines.ts'
import { findFreePort } from './free-port.ts'

/** The published program if the test run has built it, otherwise the source. */
export const holdfastProgram =
  process.env['PROGRAM_FOR_TESTS'] ??
  fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url))

/** The only variable that a process inherits: the compile cache shortens its start. */
const inherited = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }

export type Flags = Readonly<Record<string, string>>

export interface ProcessOptions {
  readonly cwd?: string
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly nodeFlags?: readonly string[]
  /** File descriptors to write to instead of pipes to the test. */
  readonly stdout?: number
  readonly stderr?: number
}

export interface RunOptions extends ProcessOptions {
  readonly input?: string | Uint8Array
}

export interface Finished {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export type Process = ChildProcessWithoutNullStreams

/** Starts a program with its arguments. It is killed with the scope. Its output is buffered until it is read. */
export function start(
  scope: Scope,
  command: readonly string[],
  options: ProcessOptions = {},
): Process {
  const child = spawnProgram(command, 'pipe', options)
  scope.after(() => kill(child))
  return child
}

export function startHoldfast(
  scope: Scope,
  args: readonly string[],
  options: ProcessOptions = {},
): Process {
  return start(scope, holdfastCommand(args, options), options)
}

/** Runs a program to its end. */
export async function run(command: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const child = spawnProgram(command, options.input === undefined ? 'ignore' : 'pipe', options)
  // A program may exit before it has read all input, which closes the pipe.
  child.stdin?.on('error', () => {}).end(options.input)
  return finish(child)
}

export function runHoldfast(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return run(holdfastCommand(args, options), options)
}

/** Runs a command in this process: starting one takes longer than most commands. */
export async function runInProcess(
  args: readonly string[],
  environment: Flags = {},
  output: Partial<Pick<Terminal, 'ask' | 'isInteractive' | 'isOutputTerminal'>> = {},
): Promise<Finished & { readonly status: number }> {
  const printed = { stdout: '', stderr: '' }
  const out = (text: string) => {
    printed.stdout += text
  }
  const error = (text: string) => {
    printed.stderr += text
  }
  const write = async (data: string | Uint8Array) =>
    out(typeof data === 'string' ? data : new TextDecoder().decode(data))
  const { main } = await import('../../src/cli/main.ts')
  const status = await main(args, {
    out,
    error,
    status: error,
    write,
    isInteractive: false,
    isOutputTerminal: false,
    ask: async () => undefined,
    environment,
    ...output,
  })
  return { status, ...printed }
}

/** Reads the output of a process until it exits. */
export async function finish(child: Process): Promise<Finished> {
  const [stdout, stderr, [status]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'close'),
  ])
  return { status, stdout, stderr }
}

/** Kills a process with SIGKILL, and waits until it has exited. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** A process that serves HTTP. */
export interface Server {
  readonly child: Process
  readonly pid: number
  readonly address: string
  readonly port: number
  /** The URL of its metrics; empty without a metrics port. */
  readonly metrics: string
  /** The output so far. */
  stdout(): string
  stderr(): string
  output(): string
  log(): LogLine[]
  workers(): number[]
  /** Resolves with the exit status. */
  readonly ended: Promise<number | null>
  stop(signal?: NodeJS.Signals): Promise<number | null>
  kill(): Promise<void>
}

export type LogLine = Readonly<Record<string, unknown>>

export interface ServerOptions extends ProcessOptions {
  /** The output that indicates readiness; by default, a line with the address. */
  readonly ready?: RegExp
}

/** Starts a server of Holdfast on a free port. The demo must know its four ports before it listens. */
export async function startServer(
  scope: Scope,
  command: readonly string[],
  flags: Flags,
  options: ServerOptions = {},
): Promise<Server> {
  const port = command[0] === 'demo' ? String(await findFreePort(4)) : '0'
  const args = holdfastCommand([...command, ...toArguments({ port, ...flags })], options)
  const ready = 'metrics-port' in flags ? { ready: /metrics on .*\n/ } : {}
  return startListening(scope, args, { ...ready, ...options })
}

/** Starts any program that prints its address, and waits until it is ready. */
export async function startListening(
  scope: Scope,
  command: readonly string[],
  { ready = /https?:\/\/127\.0\.0\.1:\d+.*\n/, ...options }: ServerOptions = {},
): Promise<Server> {
  const child = spawnProgram(command, 'ignore', options)
  // Its workers share its output, which is closed when all have exited.
  const ended = once(child, 'close').then(() => child.exitCode)
  const killAll = async () => {
    child.kill('SIGKILL')
    await ended
  }
  scope.after(killAll)
  const { stdout, stderr } = readOutput(child)
  await new Promise<void>((resolve) => {
    child.stdout.on('data', () => ready.test(stdout()) && resolve())
    void ended.then(() => resolve())
  })
  const [address] = /https?:\/\/127\.0\.0\.1:\d+/.exec(stdout()) ?? []
  assert.ok(address, `did not start: ${stdout()}${stderr()}`)
  return {
    child,
    pid: child.pid ?? 0,
    address,
    port: Number(new URL(address).port),
    metrics: /metrics on (\S+)/.exec(stdout())?.[1] ?? '',
    stdout,
    stderr,
    output: () => stdout() + stderr(),
    log: () => logLines(stderr()),
    workers: () => listChildren(child.pid),
    ended,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
    kill: killAll,
  }
}

/** Collects the output of a process. */
export function readOutput(child: Process) {
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      printed[name] += chunk
    })
  }
  return { stdout: () => printed.stdout, stderr: () => printed.stderr }
}

/** An empty value is a flag without a value. */
export function toArguments(flags: Flags): string[] {
  return Object.entries(flags).flatMap(([name, value]) =>
    value === '' ? [`--${name}`] : [`--${name}`, value],
  )
}

/** Lists the child processes of a process that have not exited. */
export function listChildren(parent: number | undefined): number[] {
  const children = readProcessFile(`${parent}/task/${parent}/children`)
  return children
    .split(' ')
    .filter((pid) => pid !== '' && !/\) Z /.test(readProcessFile(`${pid}/stat`)))
    .map(Number)
}

/** A file of Linux about a process; empty if the process has ended. */
function readProcessFile(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}

/** Whether there was a process to receive it: one may end at any moment. Signal 0 only asks. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

function holdfastCommand(
  args: readonly string[],
  { nodeFlags = [] }: ProcessOptions,
): readonly string[] {
  return [process.execPath, ...nodeFlags, holdfastProgram, ...args]
}

function spawnProgram(
  [program = '', ...args]: readonly string[],
  stdin: 'pipe' | 'ignore',
  { cwd, environment, stdout, stderr }: ProcessOptions,
): Process {
  return spawn(program, args, {
    ...(cwd !== undefined && { cwd }),
    env: { ...inherited, ...environment },
    stdio: [stdin, stdout ?? 'pipe', stderr ?? 'pipe'],
  }) as Process
}

function logLines(output: string): LogLine[] {
  return output
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}
