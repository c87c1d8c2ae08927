import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ContractError } from '../contract/index.ts'
import type { HttpApp } from './app.ts'

const compress = promisify(gzip)

/** The URL of an asset contains a digest of it. */
const assetSeconds = 365 * 24 * 3600

const types: ReadonlyMap<string, string> = new Map([
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['woff2', 'font/woff2'],
])

/** No inline code, no other origin, and no text that becomes HTML or code. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

export interface ConsoleFile {
  readonly name: string
  readonly content: Uint8Array
}

interface Asset {
  readonly type: string
  readonly content: Buffer
  /** Undefined if the format is compressed already. */
  readonly compressed: Buffer | undefined
}

interface Files {
  readonly page: string
  readonly assets: ReadonlyMap<string, Asset>
}

/**
 * The pages of the console. Every view has the same HTML, and the script shows the view of the path. The files are read
 * for the first request.
 */
export function mountConsole(app: HttpApp, readFiles: () => Promise<readonly ConsoleFile[]>): void {
  let files: Promise<Files> | undefined
  const open = (): Promise<Files> => {
    files ??= prepareFiles(readFiles).catch((error: unknown) => {
      // The next request tries again.
      files = undefined
      throw error
    })
    return files
  }
  const route = (
    url: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  ) => app.route({ method: 'GET', url, config: { endpoint: 'console' }, handler })

  route('/', async (_request, reply) => reply.status(303).header('location', '/console').send())
  const sendPage = async (_request: FastifyRequest, reply: FastifyReply) =>
    reply
      .headers({
        'content-security-policy': contentSecurityPolicy,
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin',
      })
      .type('text/html; charset=utf-8')
      .send((await open()).page)
  route('/console', sendPage)
  route('/console/*', sendPage)
  route('/console/assets/:name', async (request, reply) => {
    const { name } = request.params as { readonly name: string }
    const asset = (await open()).assets.get(name)
    if (!asset) throw new ContractError('route_not_found')
    const isAccepted = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
    const compressed = isAccepted ? asset.compressed : undefined
    reply.headers({
      'cache-control': `public, max-age=${assetSeconds}, immutable`,
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
      ...(compressed && { 'content-encoding': 'gzip' }),
    })
    return reply.type(asset.type).send(compressed ?? asset.content)
  })
}

async function prepareFiles(readFiles: () => Promise<readonly ConsoleFile[]>): Promise<Files> {
  const assets = new Map<string, Asset>()
  for (const { name, content } of await readFiles()) {
    const type = types.get(name.split('.').at(-1) ?? '')
    if (type === undefined) continue
    const bytes = Buffer.from(content)
    const isText = type !== 'font/woff2'
    const compressed = isText ? await compress(bytes, { level: 9 }) : undefined
    assets.set(name, { type, content: bytes, compressed })
  }
  const find = (pattern: RegExp) => [...assets.keys()].find((name) => pattern.test(name))
  const page = renderPage(
    find(/^console-\w+\.js$/),
    find(/^style-\w+\.css$/),
    find(/^inter-[\w-]+\.woff2$/),
  )
  return { assets, page }
}

function renderPage(script = '', stylesheet = '', font = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Holdfast</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%230b6e62' stroke-width='2.2' stroke-linecap='round'%3E%3Cpath d='M12 8v13M5 13c0 5 3 8 7 8s7-3 7-8M8 12h8'/%3E%3Ccircle cx='12' cy='5' r='3'/%3E%3C/svg%3E">
<link rel="preload" href="/console/assets/${font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="/console/assets/${stylesheet}">
<script type="module" src="/console/assets/${script}"></script>
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript. The same operations are available over HTTP and as commands.</noscript>
</body>
</html>
`
}
