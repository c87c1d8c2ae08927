import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { untilExit } from '../bench/processes.ts'
import { findFreePort } from '../test/support/free-port.ts'
import { type Answer, send } from '../test/support/http.ts'
import { type Server, startListening } from '../test/support/process.ts'
import type { SoakContext } from './context.ts'
import {
  balancesPath,
  createBody,
  listSizes,
  streamedMin,
  transactionsPath,
} from './guard-bodies.ts'
import { openKillableServer } from './killable-server.ts'
import type { Part } from './part.ts'
import { publicUrl, subdomain, type Token } from './platform.ts'
import { pick } from './random-request.ts'

const clients = 3
const pauseMs = 10
const replayShare = 0.1

/** Shorter than by default, so that a run has many of them. */
const firstByteTimeoutMs = 1500
const totalTimeoutMs = 5000

const program = fileURLToPath(new URL('guard-upstream.ts', import.meta.url))

interface Guard {
  readonly context: SoakContext
  readonly port: number
}

interface GuardRequest {
  readonly path: string
  readonly body?: string
  /** The only right body of a 200 response. */
  readonly expected: string
}

/** A guard whose upstream is killed and frozen. */
export async function openGuard(context: SoakContext, database: string): Promise<Part> {
  const upstream = await openUpstream()
  await upstream.start()
  const server = await openKillableServer('guard', {
    database,
    subdomain,
    'provider-url': publicUrl,
    'jwks-url': context.platform.url,
    upstream: upstream.address,
    'upstream-first-byte-timeout-ms': String(firstByteTimeoutMs),
    'upstream-timeout-ms': String(totalTimeoutMs),
  })
  await server.start()
  const guard = { context, port: server.port }
  return {
    name: 'guard',
    async run() {
      let isOver = false
      const failing = failAtRandom(context, upstream).finally(() => {
        isOver = true
      })
      const sending = Array.from({ length: clients }, async () => {
        while (!isOver) {
          await sendAndCompare(guard, createRequest())
          await wait(pauseMs)
        }
      })
      await Promise.all([failing, ...sending])
      await untilServed(guard)
    },
    errors: server.errors,
    async close() {
      await server.kill()
      await upstream.kill()
    },
  }
}

interface Upstream {
  readonly address: string
  start(): Promise<void>
  kill(): Promise<void>
  signal(signal: NodeJS.Signals): void
}

async function openUpstream(): Promise<Upstream> {
  const port = String(await findFreePort())
  let running: Server | undefined
  return {
    address: `http://127.0.0.1:${port}`,
    async start() {
      running = await startListening(untilExit, [process.execPath, program, port])
    },
    async kill() {
      await running?.kill()
    },
    signal: (signal) => void running?.child.kill(signal),
  }
}

const pauseMaxMs = 3000
const firstPauseMaxMs = 500
const awayMaxMs = 1000

/** Each fault at least once. */
async function failAtRandom({ tally, isTimeUp }: SoakContext, upstream: Upstream): Promise<void> {
  const faults = [
    async () => {
      await upstream.kill()
      await wait(Math.random() * awayMaxMs)
      await upstream.start()
      tally.count('guard: kills of the upstream')
    },
    async () => {
      upstream.signal('SIGSTOP')
      await wait(firstByteTimeoutMs + Math.random() * awayMaxMs)
      upstream.signal('SIGCONT')
      tally.count('guard: freezes of the upstream')
    },
  ]
  for (let round = 0; round < faults.length || !isTimeUp(); round += 1) {
    await wait(Math.random() * (round < faults.length ? firstPauseMaxMs : pauseMaxMs))
    await faults[round % faults.length]?.()
  }
}

function createRequest(size: number = pick(listSizes)): GuardRequest {
  const customerId = randomUUID()
  const ids = Array.from({ length: size % 100 }, () => randomUUID())
  const [path, body] =
    Math.random() < 0.3
      ? [balancesPath(customerId), JSON.stringify({ data: { accountIds: ids } })]
      : [transactionsPath(customerId, size)]
  return { path, ...(body !== undefined && { body }), expected: createBody(path, body ?? '') }
}

/** Whether the response was the right one. */
async function sendAndCompare(guard: Guard, request: GuardRequest): Promise<boolean> {
  const { tally, platform } = guard.context
  const token = platform.mint(request.path)
  const answer = await sendOnce(guard, request, token)
  if (!answer) {
    tally.count('guard: connections closed within a large response')
    if (request.expected.length <= streamedMin)
      tally.fault('wrong', `the guard closed the connection: ${request.path}`)
    return false
  }
  tally.count(`guard: responses with ${answer.status}`)
  const isError = [502, 503, 504].includes(answer.status) && typeof answer.body?.error === 'string'
  const isRight = answer.status === 200 && answer.text === request.expected
  if (!isError && !isRight) {
    const found = `${answer.status}, ${answer.text.length} of ${request.expected.length} bytes`
    tally.fault('wrong', `the guard answered ${request.path} with ${found}`)
  }
  if (answer.status === 200 && Math.random() < replayShare) {
    tally.count('guard: replays')
    const again = await sendOnce(guard, request, token)
    if (again?.status !== 401 && again?.status !== 503)
      tally.fault('replayed', `the guard answered a replay with ${again?.status}: ${request.path}`)
  }
  return isRight
}

/** Undefined if the connection was closed before the end of the response. */
async function sendOnce(
  { port }: Guard,
  { path, body }: GuardRequest,
  token: Token,
): Promise<Answer | undefined> {
  const headers = { authorization: `Bearer ${token.text}`, 'content-type': 'application/json' }
  return send(port, path, { headers, ...(body !== undefined && { method: 'POST', body }) }).catch(
    () => undefined,
  )
}

const recoveryMaxMs = 120_000

/** With its upstream back, the guard serves lists of every size without a restart. */
async function untilServed(guard: Guard): Promise<void> {
  for (const size of listSizes) {
    const start = performance.now()
    while (!(await sendAndCompare(guard, createRequest(size)))) {
      if (performance.now() - start > recoveryMaxMs) {
        guard.context.tally.fault('wrong', `the guard does not serve ${size} records any more`)
        return
      }
      await wait(pauseMs)
    }
  }
}
