import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { ContractError, printable } from '../contract/index.ts'
import { findRepeatedMember } from '../text/json-text.ts'

/** Every role parses JSON bodies the same way, and rejects other content types unless a route adds a parser. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, parseJsonBody(bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
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
  const value = parseJson(text)
  const repeated = findRepeatedMember(text)
  if (repeated === undefined) return value
  throw new ContractError('invalid_request', `${printable(repeated)} appears twice in one object`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ContractError('invalid_request', 'the body must be JSON')
  }
}
