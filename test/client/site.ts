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

/** Serves a page with the client's code, and forwards other requests to a provider: same origin, so no CORS. */
export interface Site {
  readonly origin: string
  /** The paths of the code that the page loaded. */
  readonly served: readonly string[]
  /** The paths of requested code that does not exist. */
  readonly missing: readonly string[]
  /** The body that the page posts to /report. */
  readonly report: Promise<unknown>
  /** Sets the port that all other requests are forwarded to. */
  forwardTo(port: number): void
}

/** The page runs the script, which reads `input` from the text of the document body. */
export async function openSite(
  scope: Scope,
  compiled: string,
  script: string,
  input: object,
): Promise<Site> {
  const [served, missing]: [string[], string[]] = [[], []]
  const reported = Promise.withResolvers<unknown>()
  let providerPort = 0

  const server = createServer(async (incoming, outgoing) => {
    const path = posix.normalize(incoming.url ?? '')
    if (path === '/') sendPage(outgoing, compiled, script, input)
    else if (path === '/favicon.ico') outgoing.writeHead(204).end()
    else if (path === '/report') {
      reported.resolve(await json(incoming))
      outgoing.writeHead(204).end()
    } else if (/^\/(compiled|installed)\//.test(path)) {
      const [, top, inner = ''] = /^\/(\w+)\/(.*)$/.exec(path) ?? []
      const file = join(top === 'compiled' ? compiled : installed, inner)
      const exists = existsSync(file)
      ;(exists ? served : missing).push(path)
      outgoing.writeHead(exists ? 200 : 404, { 'content-type': 'text/javascript' })
      outgoing.end(exists ? readFileSync(file) : '')
    } else forward(incoming, outgoing, providerPort)
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
    forwardTo(port) {
      providerPort = port
    },
  }
}

/** With a strict content security policy: scripts only from this origin, no eval. */
function sendPage(outgoing: ServerResponse, compiled: string, script: string, input: object): void {
  const nonce = randomUUID()
  outgoing.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'self'; script-src 'self' 'nonce-${nonce}'`,
  })
  outgoing.end(`<!doctype html>
    <title>client</title>
    <script type="importmap" nonce="${nonce}">${JSON.stringify({ imports: buildImportMap(compiled) })}</script>
    <script type="module" nonce="${nonce}">${script}</script>
    <body>${JSON.stringify(input).replaceAll('<', '\\u003c')}</body>`)
}

/** The import map: the client of the package and its dependencies. */
function buildImportMap(compiled: string): Record<string, string> {
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

function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { method, url, headers } = incoming
  const forwarded = request({ host: '127.0.0.1', port, method, path: url, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers)
    pipeline(response, outgoing, () => {})
  })
  forwarded.on('error', () => outgoing.destroy())
  pipeline(incoming, forwarded, () => {})
}
