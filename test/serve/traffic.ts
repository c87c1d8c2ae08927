import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import type { Deployment } from '../support/deployment.ts'
import type { Server } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'

/** How a caller connects: what it trusts, what it shows, whether it keeps the connection. */
export type Connecting = AgentOptions

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Caller = HttpAgent | HttpsAgent

export function callerOf({ address }: Server, connecting: Connecting = {}): Caller {
  const options = { keepAlive: true, maxSockets: 1, ...connecting }
  return address.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options)
}

/** One request with a token of its own. It is not tried again, whatever happens to it. */
export function ask(served: Server, token: string, agent: Caller | false): Promise<Answered> {
  const send = served.address.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    send(served.address + accountsPath, { agent, headers: { authorization: `Bearer ${token}` } })
      .on('response', (response) => {
        const { statusCode = 0, headers } = response
        text(response).then((body) => resolve({ status: statusCode, headers, body }), reject)
      })
      .on('error', reject)
      .end()
  })
}

export interface Traffic {
  /** Resolves when so many more requests have been answered. */
  more(count: number): Promise<void>
  /** Ends it, and tells what was not answered with 200. */
  stop(): Promise<readonly string[]>
}

/** Callers that ask one thing after another: some on connections that they keep, some each time on a new one. */
export function startTraffic(
  deployment: Deployment,
  served: Server,
  connecting: Connecting = {},
): Traffic {
  const failures: string[] = []
  let answered = 0
  let isStopped = false
  const callers = [true, true, true, false, false].map(async (keepAlive) => {
    const agent = callerOf(served, { ...connecting, keepAlive })
    while (!isStopped) {
      await ask(served, deployment.mint(accountsPath), agent).then(
        ({ status, body }) => {
          if (status !== 200) failures.push(`${status} ${body}`)
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

const pollMs = 10
const patienceMs = 120_000

/** Waits for something to become true, and fails where it does not. */
export async function until(isTrue: () => boolean, about = () => ''): Promise<void> {
  const start = performance.now()
  while (!isTrue()) {
    if (performance.now() - start > patienceMs)
      throw new Error(`waited in vain: ${isTrue} ${about()}`)
    await wait(pollMs)
  }
}

/** How often a text is in another. */
export function timesIn(whole: string, part: string): number {
  return whole.split(part).length - 1
}

/** Until no connection is taken any more. */
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
