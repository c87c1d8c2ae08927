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
      /(from |\()'(pg-protocol|pg\/lib)|\b(attachListeners|parsedStatements|submittedNamedStatements|handlePacket|processID|secretKey|requestSsl|sendCopyFromChunk|endCopyFrom|activeQuery|queryQueue)\b/,
  },
}

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
