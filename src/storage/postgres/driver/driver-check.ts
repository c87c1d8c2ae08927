import { createRequire } from 'node:module'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import { Parser } from 'pg-protocol/dist/parser.js'
import { DatabaseError } from '../../database.ts'
import type { MessageParser } from './buffer-client.ts'

/** The parts of the driver that are used, including undocumented ones. */
export interface Driver {
  readonly Client: new () => object
  readonly Parser: new () => object
  readonly serialize: object
  /** The file of pg-protocol that is imported here, and the one that pg imports. */
  readonly protocolFiles: readonly [string, string]
}

/**
 * Undocumented members of a client, with their type before it is connected: for sending statements (pipeline.ts) and rows
 * (pipelined-copy.ts), reading rows (buffer-client.ts), and closing and cancelling (abandon.ts, pooled-client.ts).
 */
const clientMembers = {
  processID: 'object',
  secretKey: 'object',
  'connection.stream.cork': 'function',
  'connection.stream.uncork': 'function',
  'connection.stream.destroy': 'function',
  'connection.stream.unref': 'function',
  'connection.parsedStatements': 'object',
  'connection.submittedNamedStatements': 'object',
  'connection.parse': 'function',
  'connection.bind': 'function',
  'connection.execute': 'function',
  'connection.sync': 'function',
  'connection.query': 'function',
  'connection.sendCopyFromChunk': 'function',
  'connection.endCopyFrom': 'function',
  'connection.attachListeners': 'function',
  'connection.emit': 'function',
  'connection.connect': 'function',
  'connection.requestSsl': 'function',
  'connection.cancel': 'function',
} as const

let isChecked = false

/** Rejects a driver whose undocumented parts have changed, before a statement is sent with them. */
export function requireKnownDriver(): void {
  if (isChecked) return
  const { Client } = pg
  const problem = findProblem({ Client, Parser, serialize, protocolFiles: protocolFiles() })
  if (problem) {
    throw new DatabaseError(
      `the installed PostgreSQL driver cannot be used: ${problem}. Install the exact versions of pg and pg-protocol that the package.json of Holdfast names`,
    )
  }
  isChecked = true
}

/** The first part of a driver that differs from what is expected here. */
export function findProblem({
  Client,
  Parser,
  serialize,
  protocolFiles: [ownFile, driverFile],
}: Driver): string | undefined {
  if (ownFile !== driverFile) return 'pg uses another copy of pg-protocol'
  if (typeof member(serialize, 'bind') !== 'function') return 'serialize.bind is missing'
  const client = new Client()
  for (const [path, type] of Object.entries(clientMembers)) {
    const value = path.split('.').reduce<unknown>(member, client)
    if (value === undefined || typeof value !== type) return `Client.${path} is missing`
  }
  return isParserKnown(new Parser()) ? undefined : 'Parser.handlePacket has changed'
}

/** A ReadyForQuery message: type code, length and status. */
const readyMessage = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

/** Reads a message as buffer-client.ts does, by replacing the function that the parser calls for each. */
function isParserKnown(parser: object): boolean {
  if (typeof member(parser, 'parse') !== 'function') return false
  const seen: unknown[] = []
  const handlePacket: MessageParser['handlePacket'] = (start, code, _length, bytes) => {
    seen.push(code, bytes[start])
    return { name: 'seen' }
  }
  const replaced = Object.assign(parser, { handlePacket }) as MessageParser
  replaced.parse(readyMessage, ({ name }) => seen.push(name))
  return seen.join() === [0x5a, 0x49, 'seen'].join()
}

function member(value: unknown, name: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[name]
}

function protocolFiles(): [string, string] {
  const fromHere = createRequire(import.meta.url)
  const fromDriver = createRequire(fromHere.resolve('pg'))
  return [fromHere.resolve('pg-protocol'), fromDriver.resolve('pg-protocol')]
}
