import type { Scope } from './engines.ts'
import { openUpstream, type TestUpstream } from './upstream.ts'

/**
 * A service behind a proxy that decodes and normalises the paths of requests. It has one response, for one path, and responds
 * with an error of the interface to all others.
 */
export async function openNormalisingUpstream(
  scope: Scope,
  path: string,
  body: string,
): Promise<TestUpstream> {
  return openUpstream(scope, (response, { url = '' }) => {
    const isFound = normalise(url) === path
    response
      .writeHead(isFound ? 200 : 404, { 'content-type': 'application/json' })
      .end(isFound ? body : '{"error":"Customer not found"}')
  })
}

/** Decodes more than once, as two servers in a row do, and reads a backslash and the parameters of a segment as some do. */
function normalise(url: string): string {
  let path = url
  for (let decoded = ''; decoded !== path; ) {
    decoded = path
    path = decode(path)
  }
  const [plain = ''] = path
    .replaceAll('\\', '/')
    .replaceAll('\0', '')
    .split(/[?#\r\n]/, 1)
  const segments: string[] = []
  for (const segment of plain.split('/')) {
    const [name = ''] = segment.split(';', 1)
    if (name === '..') segments.pop()
    else if (name !== '.' && name !== '') segments.push(name)
  }
  return `/${segments.join('/')}`
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
