import { Agent as HttpAgent } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent } from 'node:https'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Deployment } from '../support/deployment.ts'
import { type Answer, send } from '../support/http.ts'
import type { Server } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'

/** The certificates of a client, and whether it keeps its connection. */
export type ConnectionSettings = AgentOptions

export type ClientAgent = HttpAgent | HttpsAgent

export function openAgent({ address }: Server, settings: ConnectionSettings = {}): ClientAgent {
  const options = { keepAlive: true, maxSockets: 1, ...settings }
  return address.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options)
}

/** Sends one request with a token, without a retry. */
export function ask(
  { address }: Pick<Server, 'address'>,
  token: string,
  agent?: ClientAgent,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}` }
  return send(address, accountsPath, { headers, ...(agent && { agent }) })
}

export interface Traffic {
  /** Resolves when this many more requests have completed. */
  more(count: number): Promise<void>
  /** Stops all clients and returns the failed requests. */
  stop(): Promise<readonly string[]>
}

/** A request of each client every few milliseconds: more would only take CPU time from the server. */
const pauseMs = 20

/** Clients that send one request after another, some with keep-alive and some on new connections. */
export function startTraffic(
  deployment: Deployment,
  served: Server,
  settings: ConnectionSettings = {},
): Traffic {
  const failures: string[] = []
  let completed = 0
  let isStopped = false
  const clients = [true, true, true, false, false].map(async (keepAlive) => {
    const agent = openAgent(served, { ...settings, keepAlive })
    while (!isStopped) {
      await ask(served, deployment.mint(accountsPath), agent).then(
        ({ status, text }) => {
          if (status !== 200) failures.push(`${status} ${text}`)
        },
        (error: NodeJS.ErrnoException) => failures.push(error.code ?? error.message),
      )
      completed += 1
      await wait(pauseMs)
    }
    agent.destroy()
  })
  return {
    async more(count) {
      const target = completed + count
      await until(() => completed >= target)
    },
    async stop() {
      isStopped = true
      await Promise.all(clients)
      return failures
    },
  }
}

export function countOccurrences(whole: string, part: string): number {
  return whole.split(part).length - 1
}

/** Waits until the server accepts no more connections. */
export async function untilRefused(served: Pick<Server, 'port'>): Promise<void> {
  await until(async () => {
    const socket = connect(served.port, '127.0.0.1')
    const isRefused = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(false)).on('error', () => resolve(true))
    })
    socket.destroy()
    return isRefused
  })
}
