import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { start } from '../test/support/process.ts'

/** CPU time and memory are read from /proc. */
export function requireLinux(): void {
  if (!existsSync('/proc/self/task')) throw new Error('the benchmarks need Linux: they read /proc')
}

export const holdfastProgram = fileURLToPath(new URL('../bin/holdfast.js', import.meta.url))

/** The scope of a process that is killed at the latest when this one exits. */
export const untilExit = { after: (work: () => Promise<void>) => void closings.push(work) }
const closings: (() => Promise<void>)[] = []
process.once('exit', () => {
  for (const close of closings) void close()
})

export interface Running {
  readonly pid: number
  readonly port: number
  /** Of a server that was started with `--inspect`. */
  readonly inspectorUrl: string | undefined
  stop(): Promise<void>
}

const readyLine = /http:\/\/127\.0\.0\.1:(\d+)/
const stopWaitMs = 10_000

/** Starts a server and waits until it prints its address. */
export async function startServer(
  file: string,
  args: readonly string[],
  nodeFlags: readonly string[] = [],
): Promise<Running> {
  const child = start(untilExit, [process.execPath, ...nodeFlags, file, ...args])
  const lines: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line)
    if (lines.length > 20) lines.shift()
  })
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = readyLine.exec(line)
      if (found) resolve(Number(found[1]))
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`the server exited:\n${lines.join('\n')}`)))
  })
  return {
    pid: child.pid ?? 0,
    port,
    inspectorUrl: lines.map((line) => /ws:\S+/.exec(line)?.[0]).find(Boolean),
    stop: () => stopProcess(child),
  }
}

/** Starts one of the servers that Holdfast is compared with or embedded in, by the name of its file. */
export function startOtherServer(
  name: string,
  args: readonly string[],
  nodeFlags: readonly string[] = [],
): Promise<Running> {
  return startServer(fileURLToPath(new URL(`servers/${name}`, import.meta.url)), args, nodeFlags)
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopWaitMs)
  await ended
  clearTimeout(timer)
}

export interface Finished {
  readonly output: string
  readonly peakMegabytes: number
}

const memoryPollMs = 20

/** Runs a program until it exits. */
export async function runToEnd(file: string, args: readonly string[]): Promise<Finished> {
  const child = start(untilExit, [process.execPath, file, ...args])
  const lines: string[] = []
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => lines.push(line))
  }
  // The kernel records the peak: polling can miss only the last milliseconds.
  let peakMegabytes = 0
  const poll = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, readMemory(child.pid ?? 0).peak)
  }, memoryPollMs)
  const [status] = await once(child, 'close')
  clearInterval(poll)
  if (status !== 0) throw new Error(`${file} ${args[0]} failed:\n${lines.slice(-20).join('\n')}`)
  return { output: lines.join('\n'), peakMegabytes }
}

/** Lists a process and all its descendants. */
export function listProcessTree(pid: number): number[] {
  const children = Map.groupBy(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number),
    (other) => Number(readStat(other)?.[1] ?? 0),
  )
  const tree = [pid]
  for (const member of tree) tree.push(...(children.get(member) ?? []))
  return tree
}

/** The user and system time of all threads of the processes, in microseconds. */
export function readCpuTime(pids: readonly number[]): number {
  return pids.flatMap(readThreads).reduce((sum, { cpu }) => sum + cpu, 0)
}

export interface Thread {
  readonly id: number
  readonly name: string
  /** User and system time, in microseconds. */
  readonly cpu: number
}

/** The first one is the main thread. */
export function readThreads(pid: number): Thread[] {
  return listIfExists(`/proc/${pid}/task`).map((id) => {
    const [nanoseconds] = readIfExists(`/proc/${pid}/task/${id}/schedstat`)?.split(' ') ?? []
    const name = readIfExists(`/proc/${pid}/task/${id}/comm`)?.trim() ?? ''
    return { id: Number(id), name, cpu: Number(nanoseconds ?? 0) / 1000 }
  })
}

/** Resident memory in megabytes. */
interface Memory {
  readonly now: number
  readonly peak: number
  /** Without the pages of files, such as those of the program, which processes share. */
  readonly anonymous: number
}

export function readMemory(pid: number): Memory {
  const text = readIfExists(`/proc/${pid}/status`) ?? ''
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024
  return {
    now: megabytes('VmRSS'),
    peak: megabytes('VmHWM'),
    anonymous: megabytes('RssAnon'),
  }
}

/** The fields of /proc/pid/stat after the process name: state, parent, and so on. */
function readStat(pid: number): string[] | undefined {
  const text = readIfExists(`/proc/${pid}/stat`)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** A process may exit at any time. */
function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function listIfExists(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
