import type { HttpApp } from './app.ts'
import { sendJson } from './json.ts'

/** What whoever runs the server asks it: without a token, and told nothing but yes or no. */
export const probes = {
  live: { method: 'GET', path: '/health/live' },
  ready: { method: 'GET', path: '/health/ready' },
} as const

export type Probe = keyof typeof probes

/** How long one look serves all that ask: a flood of probes is not one of queries. */
const sharedMs = 500

/** How long a look may take. */
const lookMs = 1000

export function mountHealth(app: HttpApp, isReady: () => Promise<boolean> = async () => true) {
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })
  const look = sharedLook(isReady)
  const mount = (probe: Probe, isWell: () => Promise<boolean>) => {
    app.route({
      method: probes[probe].method,
      url: probes[probe].path,
      config: { probe },
      handler: async (_request, reply) => {
        const [status, text] = (await isWell()) ? [200, 'ok'] : [503, 'unavailable']
        return sendJson(reply.status(status), `{"status":"${text}"}`)
      },
    })
  }
  mount('live', async () => true)
  mount('ready', async () => !isStopping && (await look()) && !isStopping)
}

/** One look at a time, whose outcome serves for a moment. One that fails or takes too long is a no. */
function sharedLook(isReady: () => Promise<boolean>): () => Promise<boolean> {
  let looking: Promise<boolean> | undefined
  let seen = { isReady: false, at: Number.NEGATIVE_INFINITY }
  const look = async (): Promise<boolean> => {
    const outcome = await isReady().catch(() => false)
    seen = { isReady: outcome, at: performance.now() }
    looking = undefined
    return outcome
  }
  return async () => {
    if (performance.now() - seen.at < sharedMs) return seen.isReady
    looking ??= look()
    return inTime(looking)
  }
}

async function inTime(looking: Promise<boolean>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, lookMs, false)
  try {
    return await Promise.race([looking, late])
  } finally {
    clearTimeout(timer)
  }
}
