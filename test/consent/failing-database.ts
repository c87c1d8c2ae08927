import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { ContractError } from '../../src/contract/index.ts'
import type { ConsentStore } from '../../src/platform/consent/store.ts'
import { openConsentStore } from '../../src/storage/open.ts'
import { currentEngine, type Scope } from '../support/engines.ts'

/**
 * Whether the call during which the database fails is made. If it is, only its answer is lost: the caller cannot know that
 * the change was committed.
 */
export type Failure = 'not made' | 'answer lost'

/** A database that fails at a chosen call and does not respond until it recovers. */
export interface FailingDatabase {
  openStore(database: string): Promise<ConsentStore>
  /** Fails at a call from now on; 1 is the next one. */
  failAt(call: number, failure: Failure): void
  /** Whether it has made that call. */
  hasFailed(): boolean
  recover(): void
}

/** On a busy machine, a call may take longer than the default. */
const timeoutMs = 120_000

/** PostgreSQL fails in the network. SQLite has none: its calls fail. */
export function openFailingDatabase(scope: Scope): FailingDatabase {
  const plan = makePlan()
  return {
    failAt: plan.failAt,
    hasFailed: plan.hasFailed,
    recover: plan.recover,
    openStore: async (database) =>
      currentEngine() === 'postgres'
        ? openConsentStore(await openProxy(scope, database, plan), { timeoutMs })
        : failCalls(await openConsentStore(database), plan),
  }
}

type Plan = ReturnType<typeof makePlan>

function makePlan() {
  let left = Number.POSITIVE_INFINITY
  let failure: Failure = 'not made'
  let isAway = false
  let hasFailed = false
  return {
    failAt(call: number, how: Failure) {
      left = call
      failure = how
      hasFailed = false
    },
    hasFailed: () => hasFailed,
    recover() {
      isAway = false
      left = Number.POSITIVE_INFINITY
    },
    /** Counts a call. */
    next(): 'succeeds' | Failure {
      if (isAway) return 'not made'
      left -= 1
      if (left > 0) return 'succeeds'
      isAway = true
      hasFailed = true
      return failure
    },
  }
}

/** Returns the address of a proxy that breaks its connections when the database fails. */
async function openProxy(scope: Scope, database: string, plan: Plan): Promise<string> {
  const url = new URL(database)
  const { hostname, port } = url
  const sockets = new Set<Socket>()
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const listener = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname)
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        incoming.destroy()
        outgoing.destroy()
      })
    }
    let isLost = false
    incoming.on('data', (bytes) => {
      const call = plan.next()
      if (call === 'not made') return destroyAll()
      isLost = call === 'answer lost'
      outgoing.write(bytes)
    })
    outgoing.on('data', (bytes) => {
      if (isLost) destroyAll()
      else incoming.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  scope.after(async () => {
    listener.close()
    destroyAll()
  })
  await once(listener, 'listening')
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  return url.href
}

type Method = (...args: unknown[]) => Promise<unknown>

function failCalls(store: ConsentStore, plan: Plan): ConsentStore {
  const around = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver)
        if (name === 'close') return value
        if (typeof value === 'object' && value !== null) return around(value)
        if (typeof value !== 'function') return value
        return async (...args: unknown[]) => {
          const call = plan.next()
          const result =
            call === 'not made' ? undefined : await (value as Method).apply(target, args)
          if (call === 'succeeds') return result
          throw new ContractError('unavailable', 'the test stopped the database', {
            isInDoubt: call === 'answer lost',
          })
        }
      },
    })
  return around(store)
}
