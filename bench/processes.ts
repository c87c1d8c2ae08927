import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { start } from '../test/support/process.ts'

/** What processes use is read from Linux's own books. */
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
  /** From the start of the process to the line that says it is ready. */
  readonly readyMs: number
  stop(): Promise<void>
}

const readyLine = /http:\/\/127\.0\.0\.1:(\d+)/
const stopWaitMs = 10_000

/** Starts a server and waits for the line with its address. */
export async function startServer(file: string, args: readonly string[]): Promise<Running> {
  const since = performance.now()
  const child = start(untilExit, [process.execPath, file, ...args])
  const said: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    said.push(line)
    if (said.length > 20) said.shift()
  })
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = readyLine.exec(line)
      if (found) resolve(Number(found[1]))
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`a server ended:\n${said.join('\n')}`)))
  })
  return {
    pid: child.pid ?? 0,
    port,
    readyMs: performance.now() - since,
    stop: () => stopProcess(child),
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const impatient = setTimeout(() => child.kill('SIGKILL'), stopWaitMs)
  await ended
  clearTimeout(impatient)
}

export interface Finished {
  /** What it printed. */
  readonly said: string
  readonly peakMegabytes: number
}

const memoryPollMs = 20

/** Runs a program to its end. */
export async function runToEnd(file: string, args: readonly string[]): Promise<Finished> {
  const child = start(untilExit, [process.execPath, file, ...args])
  const said: string[] = []
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => said.push(line))
  }
  // The kernel keeps the peak itself: only the very last moments can be missed.
  let peakMegabytes = 0
  const poll = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, memoryOf(child.pid ?? 0).peak)
  }, memoryPollMs)
  const [status] = await once(child, 'close')
  clearInterval(poll)
  if (status !== 0) throw new Error(`${file} ${args[0]} failed:\n${said.slice(-20).join('\n')}`)
  return { said: said.join('\n'), peakMegabytes }
}

/** A process and all that it started. */
export function familyOf(pid: number): number[] {
  const childrenOf = Map.groupBy(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number),
    (other) => Number(fieldsOf(other)?.[1] ?? 0),
  )
  const family = [pid]
  for (const member of family) family.push(...(childrenOf.get(member) ?? []))
  return family
}

/** CPU time that processes have used so far, user and system, in microseconds: of each of their threads. */
export function cpuOf(pids: readonly number[]): number {
  let nanoseconds = 0
  for (const pid of pids) {
    for (const thread of listed(`/proc/${pid}/task`)) {
      const text = contentOf(`/proc/${pid}/task/${thread}/schedstat`)
      nanoseconds += Number(text?.split(' ')[0] ?? 0)
    }
  }
  return nanoseconds / 1000
}

/** Resident memory in megabytes, now and at most so far. */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
  const text = contentOf(`/proc/${pid}/status`) ?? ''
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}

/** What follows the name in a process's line of figures: its state, its parent, and so on. */
function fieldsOf(pid: number): string[] | undefined {
  const text = contentOf(`/proc/${pid}/stat`)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** Processes end while they are looked at. */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
