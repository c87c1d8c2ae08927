import { lookup } from 'node:dns/promises'
import type { HttpApp } from '../http/app.ts'
import { httpLimits } from '../http/limits.ts'
import { CommandError } from './terminal.ts'

/** Returns the URL that the server listens on. */
export async function listen(
  app: HttpApp,
  host: string,
  port: number,
  portAdvice = 'choose another with --port',
): Promise<string> {
  // A single address: for a name with two, Fastify would start a second server without our limits and hooks.
  const { address } = await lookup(host).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      1,
      `cannot listen on ${host}: the name cannot be resolved (${error.code})`,
    )
  })
  // The listen backlog must hold a burst: connections that overflow it are retransmitted after a second or more.
  const backlog = httpLimits.connectionsMax
  return app
    .listen({ host: address, port, backlog })
    .catch(async (error: NodeJS.ErrnoException) => {
      await app.close()
      if (error.code !== 'EADDRINUSE') throw error
      throw new CommandError(1, `port ${port} is already in use: ${portAdvice}`)
    })
}
