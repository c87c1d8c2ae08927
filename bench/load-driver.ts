import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ConstantRateOptions, ConstantRateResult } from './constant-rate.ts'
import type { Algorithm, BenchKeys } from './token-signer.ts'

/** A request without its token. `algorithm` is undefined for an operation that needs no token. */
export interface BenchRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly query?: string
  readonly body?: string
  readonly algorithm?: Algorithm
  readonly headers?: Readonly<Record<string, string>>
}

export interface PrepareMessage {
  readonly type: 'prepare'
  readonly name: string
  readonly requests: readonly BenchRequest[]
  readonly count: number
  readonly keys: BenchKeys
  readonly audience: string
  readonly subdomain: string
}

export interface DriveMessage {
  readonly type: 'drive'
  readonly name: string
  readonly from: number
  readonly count: number
  readonly port: number
  readonly connections: number
}

export interface ConstantRateMessage extends ConstantRateOptions {
  readonly type: 'sendAtConstantRate'
  readonly name: string
  readonly from: number
  readonly count: number
}

export type DriverMessage =
  | PrepareMessage
  | DriveMessage
  | ConstantRateMessage
  | { readonly type: 'forget'; readonly name: string }
  | { readonly type: 'go' }

export interface DriveResult {
  readonly seconds: number
  readonly p50: number
  readonly p99: number
}

type Reply =
  | { readonly type: 'done' }
  | { readonly type: 'connected' }
  | { readonly type: 'driveResult'; readonly driveResult: DriveResult }
  | { readonly type: 'result'; readonly result: ConstantRateResult }
  | { readonly type: 'failed'; readonly reason: string }

/** Controls the load generator process. */
export interface LoadDriver {
  /** Prepares requests, each with its own token, to be sent later. */
  prepare(name: string, requests: readonly BenchRequest[], count: number): Promise<void>
  forget(name: string): Promise<void>
  /** Sends prepared requests; `sample` is called after connecting and again after the last response. */
  drive(options: Omit<DriveMessage, 'type'>, sample: () => void): Promise<DriveResult>
  /** Sends prepared requests at a constant rate, without waiting for responses. */
  sendAtConstantRate(options: Omit<ConstantRateMessage, 'type'>): Promise<ConstantRateResult>
  close(): void
}

export const subdomain = 'bench'

/** The base of every token's audience. It is the same for all servers, so that one token is valid once on each. */
export const audience = 'https://bank.example'

export function openLoadDriver(keys: BenchKeys): LoadDriver {
  const child = fork(fileURLToPath(new URL('load-process.ts', import.meta.url)))
  const call = async (message: DriverMessage): Promise<Reply> => {
    const answer = reply(child)
    child.send(message)
    return answer
  }

  return {
    async prepare(name, requests, count) {
      await call({ type: 'prepare', name, requests, count, keys, audience, subdomain })
    },
    async forget(name) {
      await call({ type: 'forget', name })
    },
    async drive(options, sample) {
      await call({ type: 'drive', ...options })
      sample()
      const answer = await call({ type: 'go' })
      sample()
      if (answer.type !== 'driveResult') throw new Error(`unexpected reply: ${answer.type}`)
      return answer.driveResult
    },
    async sendAtConstantRate(options) {
      const answer = await call({ type: 'sendAtConstantRate', ...options })
      if (answer.type !== 'result') throw new Error(`unexpected reply: ${answer.type}`)
      return answer.result
    },
    close() {
      if (child.connected) child.disconnect()
    },
  }
}

async function reply(child: ChildProcess): Promise<Reply> {
  const settled = new AbortController()
  const ended = once(child, 'exit', { signal: settled.signal }).then(() => {
    throw new Error('the load generator exited')
  })
  ended.catch(() => undefined)
  try {
    const [answer] = (await Promise.race([once(child, 'message'), ended])) as [Reply]
    if (answer.type === 'failed') throw new Error(answer.reason)
    return answer
  } finally {
    settled.abort()
  }
}
