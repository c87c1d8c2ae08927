import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { SoakContext } from './context.ts'
import { type CheckedRequest, createRandomRequest } from './random-request.ts'

/** The pause between two requests, so that the server is busy but not overloaded. */
const pauseMs = 5

/** Sends valid requests on one connection and compares each response with the loaded data. */
export async function runValidClient(context: SoakContext): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  while (!context.isFinished()) {
    await sendAndCompare(context, createRandomRequest(context.model, context.customers), agent)
    await wait(pauseMs)
  }
  agent.destroy()
}

/** Returns the status of the response, or undefined if there was none. */
export async function sendAndCompare(
  context: SoakContext,
  request: CheckedRequest,
  agent: Agent | false = false,
): Promise<number | undefined> {
  const { tally, platform, usedTokens } = context
  const token = platform.mint(request.path)
  const oldest = context.committed()
  const response = await context.send(request, token, agent)
  const newest = context.started()
  if (response?.status === 200) {
    tally.count('responses compared with the loaded data')
    const part = request.part(JSON.parse(response.body))
    const versions = Array.from({ length: newest - oldest + 1 }, (_, index) => oldest + index)
    if (!versions.some((version) => isDeepStrictEqual(part, request.expected(version)))) {
      tally.fault(
        'wrong',
        `${request.path}${request.query} matches no version from ${oldest} to ${newest}`,
      )
    }
    usedTokens.add({ request, token })
  } else if (response && response.status !== 503) {
    tally.fault('wrong', `${request.path}${request.query} ${response.status} ${response.body}`)
  }
  return response?.status
}
