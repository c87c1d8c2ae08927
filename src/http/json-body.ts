import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ContractError, nestingMax, printable } from '../contract/index.ts'
import { findRepeatedMember, isNestedDeeper } from '../contract/json-text.ts'
import { parseJson } from '../contract/parse-json.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it was received, if the server keeps it. */
    bodyBytes?: Buffer
  }
}

/** Every role parses JSON bodies the same way, and rejects other content types unless a route adds a parser. */
export function acceptJsonBodies(app: FastifyInstance, keepBodies = false): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      requireUncompressed(request)
      if (keepBodies) request.bodyBytes = bytes as Buffer
      done(null, parseJsonBody(bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

/** Makes the routes of a scope accept forms, whose body is then a `URLSearchParams`. */
export function acceptForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (request: FastifyRequest, text: string) => {
      requireUncompressed(request)
      return new URLSearchParams(text)
    },
  )
}

/** Without this, a compressed body would be reported as invalid text. */
function requireUncompressed({ headers }: FastifyRequest): void {
  const { 'content-encoding': coding = 'identity' } = headers
  if (coding.trim().toLowerCase() === 'identity') return
  throw new ContractError('compressed_body')
}

/**
 * Stricter than `JSON.parse` on decoded text, which replaces invalid UTF-8 by other characters and silently drops all
 * but the last value of a repeated member.
 */
function parseJsonBody(bytes: Buffer): unknown {
  // Some clients send a JSON content type without a body.
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw new ContractError('invalid_request', 'the body must be UTF-8')
  const text = bytes.toString()
  if (isNestedDeeper(text, nestingMax)) {
    const sentence = `the body must not be nested deeper than ${nestingMax} levels`
    throw new ContractError('invalid_request', sentence)
  }
  const value = parseJson(text)
  if (value === undefined) throw new ContractError('invalid_request', 'the body must be JSON')
  const repeated = findRepeatedMember(text)
  if (repeated === undefined) return value
  throw new ContractError('invalid_request', `${printable(repeated)} appears twice in one object`)
}
