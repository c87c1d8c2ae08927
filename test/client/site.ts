import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, posix } from 'node:path'
import { pipeline } from 'node:stream'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Scope } from '../support/engines.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const installed = join(root, 'node_modules')

/** A page with the client's code, and a provider behind the same origin: browsers ask no other. */
export interface Site {
  readonly origin: string
  /** The paths of all code that the page loaded, and of what it asked for in vain. */
  readonly served: readonly string[]
  readonly missing: readonly string[]
  /** What the page posts to /report. */
  readonly report: Promise<unknown>
  /** Where all other requests go. */
  passOnTo(port: number): void
}

/** The page runs a script, which finds what it is given as the text of its body. */
export async function openSite(
  scope: Scope,
  compiled: string,
  script: string,
  given: object,
): Promise<Site> {
  const [served, missing]: [string[], string[]] = [[], []]
  const reported = Promise.withResolvers<unknown>()
  let providerPort = 0

  const server = createServer(async (incoming, outgoing) => {
    const path = posix.normalize(incoming.url ?? '')
    if (path === '/') showPage(outgoing, compiled, script, given)
    else if (path === '/favicon.ico') outgoing.writeHead(204).end()
    else if (path === '/report') {
      reported.resolve(await json(incoming))
      outgoing.writeHead(204).end()
    } else if (/^\/(compiled|installed)\//.test(path)) {
      const [, top, inner = ''] = /^\/(\w+)\/(.*)$/.exec(path) ?? []
      const file = join(top === 'compiled' ? compiled : installed, inner)
      const isThere = existsSync(file)
      ;(isThere ? served : missing).push(path)
      outgoing.writeHead(isThere ? 200 : 404, { 'content-type': 'text/javascript' })
      outgoing.end(isThere ? readFileSync(file) : '')
    } else passOn(incoming, outgoing, providerPort)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  scope.after(async () => {
    server.close()
    server.closeAllConnections()
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    served,
    missing,
    report: reported.promise,
    passOnTo(port) {
      providerPort = port
    },
  }
}

/** A policy as careful sites have it: code only from themselves, and none made of text. */
function showPage(outgoing: ServerResponse, compiled: string, script: string, given: object): void {
  const nonce = randomUUID()
  outgoing.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'self'; script-src 'self' 'nonce-${nonce}'`,
  })
  outgoing.end(`<!doctype html>
    <title>client</title>
    <script type="importmap" nonce="${nonce}">${JSON.stringify({ imports: importsOf(compiled) })}</script>
    <script type="module" nonce="${nonce}">${script}</script>
    <body>${JSON.stringify(given).replaceAll('<', '\\u003c')}</body>`)
}

/** Where a browser finds what is imported by name: the package as it exports itself, and what it needs. */
function importsOf(compiled: string): Record<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const own = exports['./client'].default.replace('./dist/', '/compiled/')
  const code = globSync(join(compiled, '{client,contract}', '**', '*.js'))
  const names = code
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\bfrom '([a-z@][^':]*)'/g)])
    .map(([, name = '']) => name)
  const others = names.map((name) => {
    const [, path = ''] = import.meta.resolve(name).split('/node_modules/')
    return [name, `/installed/${path}`] as const
  })
  return { 'holdfast/client': own, ...Object.fromEntries(others) }
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { method, url, headers } = incoming
  const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    pipeline(answer, outgoing, () => {})
  })
  onward.on('error', () => outgoing.destroy())
  pipeline(incoming, onward, () => {})
}
