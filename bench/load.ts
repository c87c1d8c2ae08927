import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Algorithm, BenchKeys } from './mint.ts'
import type { Pressed, Pressure } from './press.ts'

/** One request, without its token. Without an algorithm it needs none. */
export interface Ask {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly query?: string
  readonly body?: string
  readonly algorithm?: Algorithm
}

export interface Prepare {
  readonly type: 'prepare'
  readonly name: string
  readonly asks: readonly Ask[]
  readonly count: number
  readonly keys: BenchKeys
  readonly audience: string
  readonly subdomain: string
}

export interface Drive {
  readonly type: 'drive'
  readonly name: string
  readonly from: number
  readonly count: number
  readonly port: number
  readonly connections: number
}

export interface Press extends Pressure {
  readonly type: 'press'
  readonly name: string
  readonly from: number
  readonly count: number
}

export type DriverMessage =
  | Prepare
  | Drive
  | Press
  | { readonly type: 'forget'; readonly name: string }
  | { readonly type: 'go' }

export interface Driven {
  readonly seconds: number
  readonly p50: number
  readonly p99: number
}

type Reply =
  | { readonly type: 'done' }
  | { readonly type: 'connected' }
  | { readonly type: 'driven'; readonly driven: Driven }
  | { readonly type: 'pressed'; readonly pressed: Pressed }
  | { readonly type: 'failed'; readonly reason: string }

/** The process that asks, seen from here. */
export interface Driver {
  /** Makes requests, each with a token of its own, to be sent later. */
  prepare(name: string, asks: readonly Ask[], count: number): Promise<void>
  forget(name: string): Promise<void>
  /** Sends some of them; `around` is called when all is connected, and again when all is answered. */
  drive(what: Omit<Drive, 'type'>, around: () => void): Promise<Driven>
  /** Sends some of them at a steady pace, without waiting for answers. */
  press(what: Omit<Press, 'type'>): Promise<Pressed>
  close(): void
}

export const subdomain = 'bench'

/** The beginning of every token's audience. All servers have the same, so that one token serves each once. */
export const audience = 'https://bank.example'

export function openDriver(keys: BenchKeys): Driver {
  const child = fork(fileURLToPath(new URL('driver.ts', import.meta.url)))
  const call = async (message: DriverMessage): Promise<Reply> => {
    const answer = reply(child)
    child.send(message)
    return answer
  }

  return {
    async prepare(name, asks, count) {
      await call({ type: 'prepare', name, asks, count, keys, audience, subdomain })
    },
    async forget(name) {
      await call({ type: 'forget', name })
    },
    async drive(what, around) {
      await call({ type: 'drive', ...what })
      around()
      const answer = await call({ type: 'go' })
      around()
      if (answer.type !== 'driven') throw new Error(`the driver said ${answer.type}`)
      return answer.driven
    },
    async press(what) {
      const answer = await call({ type: 'press', ...what })
      if (answer.type !== 'pressed') throw new Error(`the driver said ${answer.type}`)
      return answer.pressed
    },
    close() {
      if (child.connected) child.disconnect()
    },
  }
}

async function reply(child: ChildProcess): Promise<Reply> {
  const gone = new AbortController()
  const ended = once(child, 'exit', { signal: gone.signal }).then(() => {
    throw new Error('the driver ended')
  })
  ended.catch(() => undefined)
  try {
    const [answer] = (await Promise.race([once(child, 'message'), ended])) as [Reply]
    if (answer.type === 'failed') throw new Error(answer.reason)
    return answer
  } finally {
    gone.abort()
  }
}
