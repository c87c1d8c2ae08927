import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { knownVersions } from '../src/storage/postgres/driver/pg-internals.ts'

const root = new URL('..', import.meta.url).pathname

const sources = ['src', 'bench', 'soak', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules'))
    .map((path) => join(folder, path)),
)

/** For each package: the only file that may use its private members, and what these look like in a source. */
const privateMembers = {
  pg: {
    file: 'src/storage/postgres/driver/pg-internals.ts',
    pattern:
      /(from |\()'(pg-protocol|pg\/lib)|\b(attachListeners|parsedStatements|submittedNamedStatements|handlePacket|processID|secretKey|requestSsl|sendCopyFromChunk|endCopyFrom|handleCopyInResponse|activeQuery|queryQueue)\b|new pg\.Query\b|\.bind\(\{\}/,
  },
  // The confirmations of connections that a supervisor passes to its workers.
  node: {
    file: 'src/server/connection-handover.ts',
    pattern: /internalMessage|'newconn'|NODE_(CLUSTER|HANDLE)/,
  },
}

const privateFiles = Object.values(privateMembers).map(({ file }) => file)

/** What private members look like in other sources, whatever the package is. */
const privateAccess = {
  'a file of a package that is not an entry point':
    /from '(@[^/']+\/)?[^./'][^/']*\/(dist|lib|src|build|internal)\//,
  'a symbol of another package': /\bpino\.symbols\b|\bSymbol\.for\(/,
  'a member whose name starts with an underscore': /[\w)\]]\??\._[a-z]|\['_[a-z]/,
  'the key stores of the OpenID provider': /\b(a?symmetricKeyStore|selectFor(Sign|Verify))\b/,
  'a changed prototype': /\bprototype(\.\w+|\[\w+\])? = |\bsetPrototypeOf\(/,
  'a method of another class': /\.prototype\.\w+\.(call|apply)\(/,
  'a replaced method of an object':
    /\b(channel|client|connection|parser|query|server|socket|stream)\??\.\w+ = (\(|async\b|function\b|\w+ => )|\.assign\(\s*(channel|client|connection|parser|query|server|socket|stream)\b/,
  'a member that the types of a package do not have':
    /\bas (unknown as )?(pg\.\w+|Client|Connection|Dispatcher|Duplex|Fastify\w+|IncomingMessage|KoaContext\w*|Pool|Provider|RequestInit|Server\w*|Socket|TLSSocket) & /,
  'a stream in place of a socket': /\bas (Duplex|unknown) as (Socket|TLSSocket)\b/,
}

/** The files that use them regardless. */
const listedUses: Readonly<Record<string, readonly string[]>> = {
  'a method of another class': ['src/server/graceful-shutdown.ts'],
  'a stream in place of a socket': ['src/provider/upstream/upstream.ts'],
}

/** Of `npm ci --omit=dev`. */
const runtimePackagesMax = 100

describe('a source', () => {
  for (const [name, pattern] of Object.entries(privateAccess)) {
    it(`does not use ${name}`, () => {
      const found = sources
        .filter((path) => path.startsWith('src/') && !/\.test\.tsx?$/.test(path))
        .filter((path) => !privateFiles.includes(path) && !listedUses[name]?.includes(path))
        .flatMap((path) =>
          readFileSync(join(root, path), 'utf8')
            .split('\n')
            .flatMap((line, index) => (pattern.test(line) ? `${path}:${index + 1}: ${line}` : [])),
        )

      assert.deepEqual(found, [])
    })
  }
})

describe('the program', () => {
  it('has few packages at run time', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: true; devOptional?: true; peer?: true }>
    }
    const installed = Object.entries(packages).filter(
      ([path, { dev, devOptional, peer }]) => path !== '' && !dev && !devOptional && !peer,
    )

    assert.ok(installed.length <= runtimePackagesMax, `${installed.length} packages`)
  })
})

describe('the page about dependencies', () => {
  it('has the reason of every such use', () => {
    const page = readFileSync(join(root, 'docs/explanation/dependencies.md'), 'utf8')
    const files = [...privateFiles, ...Object.values(listedUses).flat()]

    assert.deepEqual(
      files.filter((file) => !page.includes(`| \`${file}\` |`)),
      [],
    )
  })
})

describe('a package whose private members are used', () => {
  for (const [name, { file, pattern }] of Object.entries(privateMembers)) {
    it(`has one file that may use them: ${name}`, () => {
      const users = sources.filter(
        (path) =>
          path !== 'test/dependencies.test.ts' &&
          pattern.test(readFileSync(join(root, path), 'utf8')),
      )

      assert.deepEqual(users, [file])
    })
  }

  it('is pinned to the exact version that is verified at the start', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }

    for (const [name, version] of Object.entries(knownVersions)) {
      assert.equal(dependencies[name], version, name)
    }
  })
})
