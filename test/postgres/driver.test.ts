import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import { Parser } from 'pg-protocol/dist/parser.js'
import {
  type Driver,
  findProblem,
  requireKnownDriver,
} from '../../src/storage/postgres/driver/driver-check.ts'

const known: Driver = { Client: pg.Client, Parser, serialize, protocolFiles: ['a', 'a'] }

/** The driver's client with one changed member. */
function clientWith(change: (client: Record<string, unknown>) => void): Driver['Client'] {
  return class extends pg.Client {
    constructor() {
      super()
      change(this as unknown as Record<string, unknown>)
    }
  }
}

const withoutMember = (name: string) =>
  clientWith(({ connection }) => {
    Object.assign(connection as object, { [name]: undefined })
  })

const changed: Readonly<Record<string, [Partial<Driver>, RegExp]>> = {
  'without a connection member': [
    { Client: clientWith((client) => void delete client['connection']) },
    /Client\.connection\./,
  ],
  'without a cancel key': [
    { Client: clientWith((client) => void delete client['processID']) },
    /Client\.processID/,
  ],
  'without a list of prepared statements': [
    { Client: withoutMember('submittedNamedStatements') },
    /Client\.connection\.submittedNamedStatements/,
  ],
  'without bind': [{ Client: withoutMember('bind') }, /Client\.connection\.bind/],
  'without attachListeners': [
    { Client: withoutMember('attachListeners') },
    /Client\.connection\.attachListeners/,
  ],
  'whose parser calls another function': [
    {
      Parser: class {
        parse(): void {}
      },
    },
    /Parser\.handlePacket/,
  ],
  'whose parser passes its arguments in another order': [
    {
      Parser: class {
        handlePacket(): object {
          return {}
        }
        parse(bytes: Buffer, onMessage: (message: object) => void): void {
          const handle = this.handlePacket as (...args: unknown[]) => object
          onMessage(handle(bytes, 5, 5, 0x5a))
        }
      },
    },
    /Parser\.handlePacket/,
  ],
  'without serialize.bind': [{ serialize: {} }, /serialize\.bind/],
  'with its own copy of pg-protocol': [
    { protocolFiles: ['a', 'b'] },
    /another copy of pg-protocol/,
  ],
}

describe('the PostgreSQL driver', () => {
  it('that is installed is accepted', () => {
    assert.doesNotThrow(requireKnownDriver)
    assert.equal(findProblem(known), undefined)
  })

  for (const [name, [change, problem]] of Object.entries(changed)) {
    it(`is rejected if it is one ${name}`, () => {
      assert.match(findProblem({ ...known, ...change }) ?? '', problem)
    })
  }

  it('is pinned to exact versions', () => {
    const { dependencies } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as { dependencies: Record<string, string> }
    const lock = JSON.parse(
      readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
    ) as { packages: Record<string, { version: string }> }

    for (const name of ['pg', 'pg-protocol', 'pg-copy-streams']) {
      assert.equal(dependencies[name], lock.packages[`node_modules/${name}`]?.version, name)
    }
  })
})
