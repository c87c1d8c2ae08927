import type { Profiler } from 'node:inspector'
import { type Bench, serveProvider } from './bench.ts'
import { createPageCase } from './cases.ts'
import { fewConnections, warmUpServers } from './compare.ts'
import { holdfastProgram, type Running, readThreads } from './processes.ts'
import { type Category, categories, sumByCategory } from './profile-categories.ts'
import type { Table } from './report.ts'
import {
  onPostgres,
  onPracticalBound,
  onSqlite,
  type Stores,
  startPracticalBound,
} from './requests.ts'
import type { Log } from './results.ts'

const requestCount = 20_000
const samplingMicroseconds = 100
const nodeFlags = ['--inspect=127.0.0.1:0']

/** The thread of V8 that processes samples. */
const profilerThread = /ProfEvntProc/

interface Account {
  readonly byCategory: ReadonlyMap<Category, number>
  /** The CPU time of the process, without the profiler's thread. */
  readonly measured: number
}

/**
 * Accounts for the CPU time of B3 on 16 connections. The servers run from the sources, whose paths say what a function
 * belongs to. On an idle machine, the sum differs from the measured CPU time by less than 5 %; if other work takes the
 * cores, the samples are too few.
 */
export async function profileRequests(bench: Bench, stores: Stores, log: Log): Promise<Table> {
  const options = { program: holdfastProgram, nodeFlags }
  const starts: Readonly<Record<string, () => Promise<Running>>> = {
    [onPracticalBound]: () => startPracticalBound(bench, stores.sqlite, nodeFlags),
    [onSqlite]: () => serveProvider(bench, stores.sqlite, options),
    [onPostgres]: () => serveProvider(bench, stores.postgres, options),
  }
  const accounts: Account[] = []
  for (const [name, start] of Object.entries(starts)) {
    const server = await start()
    log(`${name}: warming up`)
    await warmUpServers(bench, [server], createPageCase().request)
    log(`${name}: profiling`)
    accounts.push(await profile(bench, server))
    await server.stop()
  }
  const format = (value: number) => value.toFixed(1)
  const sum = ({ byCategory }: Account) => byCategory.values().reduce((a, b) => a + b, 0)
  const difference = (one: Account) => `${((sum(one) / one.measured - 1) * 100).toFixed(1)} %`
  return {
    title: `B3, ES256, ${fewConnections} connections: CPU time per request in µs`,
    head: ['', ...Object.keys(starts)],
    rows: [
      ...categories.map((category) => [
        category,
        ...accounts.map(({ byCategory }) => format(byCategory.get(category) ?? 0)),
      ]),
      ['sum', ...accounts.map((one) => format(sum(one)))],
      ['measured', ...accounts.map(({ measured }) => format(measured))],
      ['difference', ...accounts.map(difference)],
    ],
  }
}

async function profile(bench: Bench, server: Running): Promise<Account> {
  const { driver } = bench
  const inspector = await openInspector(server.inspectorUrl ?? '')
  await driver.prepare('profile', [createPageCase().request], requestCount)
  await inspector.call('Profiler.enable')
  await inspector.call('Profiler.setSamplingInterval', { interval: samplingMicroseconds })
  const threads: { main: number; others: number }[] = []
  await inspector.call('Profiler.start')
  const all = { name: 'profile', from: 0, count: requestCount, connections: fewConnections }
  await driver.drive({ ...all, port: server.port }, () => {
    const [main, ...others] = readThreads(server.pid).filter(
      ({ name }) => !profilerThread.test(name),
    )
    const sum = others.reduce((total, { cpu }) => total + cpu, 0)
    threads.push({ main: main?.cpu ?? 0, others: sum })
  })
  const { profile: found } = await inspector.call<{ profile: Profiler.Profile }>('Profiler.stop')
  inspector.close()
  const [first, last] = threads
  if (!first || !last) throw new Error('nothing was measured')
  const others = last.others - first.others
  const byCategory = sumByCategory(found).set('compiler and other threads', others)
  return {
    byCategory: new Map([...byCategory].map(([name, sum]) => [name, sum / requestCount])),
    measured: (last.main - first.main + others) / requestCount,
  }
}

/** Sends commands to the inspector of a process. */
async function openInspector(url: string) {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  let count = 0
  const pending = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown }
    pending.get(id)?.(result)
    pending.delete(id)
  })
  return {
    call<Result>(method: string, params = {}): Promise<Result> {
      count += 1
      const id = count
      socket.send(JSON.stringify({ id, method, params }))
      return new Promise((resolve) => pending.set(id, resolve as (result: unknown) => void))
    },
    close: () => socket.close(),
  }
}
