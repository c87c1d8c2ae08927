import { Agent as HttpAgent } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent } from 'node:https'
import { connect } from 'node:net'
import type { Deployment } from '../support/deployment.ts'
import { type Answer, send } from '../support/http.ts'
import type { Server } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'

/** How a caller connects: its certificates, and whether it keeps the connection. */
export type Connecting = AgentOptions

export type Caller = HttpAgent | HttpsAgent

export function openCaller({ address }: Server, connecting: Connecting = {}): Caller {
  const options = { keepAlive: true, maxSockets: 1, ...connecting }
  return address.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options)
}

/** Sends one request with a token, without a retry. */
export function ask({ address }: Server, token: string, agent?: Caller): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}` }
  return send(address, accountsPath, { headers, ...(agent && { agent }) })
}

export interface Traffic {
  /** Resolves when so many more requests have been answered. */
  more(count: number): Promise<void>
  /** Ends it, and returns what was not answered with 200. */
  stop(): Promise<readonly string[]>
}

/** Callers that send one request after another, some on a kept connection and some on a new one each. */
export function startTraffic(
  deployment: Deployment,
  served: Server,
  connecting: Connecting = {},
): Traffic {
  const failures: string[] = []
  let answered = 0
  let isStopped = false
  const callers = [true, true, true, false, false].map(async (keepAlive) => {
    const agent = openCaller(served, { ...connecting, keepAlive })
    while (!isStopped) {
      await ask(served, deployment.mint(accountsPath), agent).then(
        ({ status, text }) => {
          if (status !== 200) failures.push(`${status} ${text}`)
        },
        (error: NodeJS.ErrnoException) => failures.push(error.code ?? error.message),
      )
      answered += 1
    }
    agent.destroy()
  })
  return {
    async more(count) {
      const enough = answered + count
      await until(() => answered >= enough)
    },
    async stop() {
      isStopped = true
      await Promise.all(callers)
      return failures
    },
  }
}

/** How often a text is in another. */
export function timesIn(whole: string, part: string): number {
  return whole.split(part).length - 1
}

/** Waits until no connection is accepted. */
export async function untilRefused(served: Server): Promise<void> {
  let isRefused = false
  while (!isRefused) {
    const socket = connect(served.port, '127.0.0.1')
    isRefused = await new Promise((resolve) => {
      socket.on('connect', () => resolve(false)).on('error', () => resolve(true))
    })
    socket.destroy()
  }
}
