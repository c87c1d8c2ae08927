import type { FastifyRequest } from 'fastify'
import { toCdsErrorList } from '../platform/cds/errors.ts'
import { rejectPath } from '../platform/cds/paths.ts'
import type { VersionHeaders } from '../platform/cds/version.ts'
import type { HttpApp } from './app.ts'
import { readPath } from './request.ts'

const otherMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** A path of the standards that would otherwise be one of an endpoint with a parameter. */
export function mountOmittedPath(app: HttpApp, basePath: string, path: string): void {
  app.route({
    method: otherMethods,
    url: basePath + path,
    config: { endpoint: 'cds-other', formatError: toCdsErrorList },
    async onRequest() {
      throw rejectPath(path, [])
    },
    handler: () => undefined,
  })
}

/** Every path below the base path of the Consumer Data Standards gets an answer of theirs. */
export function mountOtherPaths(app: HttpApp, basePath: string): void {
  app.route({
    method: otherMethods,
    url: `${basePath}/*`,
    config: { endpoint: 'cds-other', formatError: toCdsErrorList },
    // Before the body is received.
    async onRequest(request) {
      const path = readPath(request)
      throw rejectPath(path.slice(basePath.length), app.listMethods(path))
    },
    handler: () => undefined,
  })
}

export function readVersionHeaders(request: FastifyRequest): VersionHeaders {
  return {
    version: readHeader(request, 'x-v'),
    minimumVersion: readHeader(request, 'x-min-v'),
  }
}

/** A repeated header is the list of its values, which no header here may be. */
export function readHeader({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
