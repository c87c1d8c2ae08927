import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'

/** Below the range that the operating system assigns to connections, one of which could otherwise use a port first. */
const firstBlock = 10_000
const blockCount = 1000
const blockSize = 20

/** The ports of a block are for the process that listens on its first port. */
interface Block {
  readonly first: number
  next: number
}

let block: Promise<Block> | undefined

/**
 * For programs that cannot listen on port 0: the first of several consecutive ports that are free. No process that
 * chooses its ports with this function is given one of them, also before the program listens.
 */
export async function findFreePort(count = 1): Promise<number> {
  for (;;) {
    block ??= reserveBlock()
    const reserved = await block
    const { first, next } = reserved
    if (next + count > first + blockSize) {
      block = undefined
      continue
    }
    reserved.next += count
    const ports = Array.from({ length: count }, (_, index) => next + index)
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return next
  }
}

/** Until the process exits. */
async function reserveBlock(): Promise<Block> {
  for (;;) {
    const first = firstBlock + blockSize * randomInt(blockCount)
    const server = await listenOn(first)
    server?.unref()
    if (server) return { first, next: first + 1 }
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = await listenOn(port)
  if (!server) return false
  await new Promise((resolve) => server.close(resolve))
  return true
}

/** Undefined if another process listens on the port. */
function listenOn(port: number): Promise<Server | undefined> {
  const { promise, resolve } = Promise.withResolvers<Server | undefined>()
  const server = createServer()
  server.once('error', () => resolve(undefined))
  server.listen(port, '127.0.0.1', () => resolve(server))
  return promise
}
