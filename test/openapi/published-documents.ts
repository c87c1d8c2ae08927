import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { publishedDocumentNames } from '../../src/contract/openapi/document-names.ts'
import { buildPublishedDocument } from '../../src/platform/third-party-api/document.ts'
import { version } from '../../src/server/version.ts'
import { run } from '../support/process.ts'

/**
 * Tests the OpenAPI documents with linters and client generators; the tests of the package prove that it contains these
 * documents. The tools are not part of `npm ci`, because they are large and need another version of TypeScript: `npm run test:openapi` installs them here.
 */
const root = fileURLToPath(new URL('../..', import.meta.url))
const tools = fileURLToPath(new URL('node_modules', import.meta.url))
const guide = readFileSync(join(root, 'docs', 'guides', 'openapi.md'), 'utf8')

const folder = mkdtempSync(join(tmpdir(), 'holdfast-openapi-'))
const generated = join(folder, 'generated')
after(() => rmSync(folder, { recursive: true, force: true }))

const documentFile = (name: string) => join(folder, `${name}.json`)
const readDocument = (name: string) => JSON.parse(readFileSync(documentFile(name), 'utf8'))
for (const name of publishedDocumentNames) {
  writeFileSync(documentFile(name), JSON.stringify(buildPublishedDocument(name, version)))
}

const orvalArguments = (input: string, output: string) => [
  ...['--input', input, '--output', `${output}.ts`],
  ...['--client', 'fetch'],
]

/** The program and the arguments of each generator. */
const generators = {
  'openapi-typescript': {
    program: '.bin/openapi-typescript',
    makeArguments: (input: string, output: string) => [input, '--output', `${output}.ts`],
  },
  'openapi-ts': {
    program: '.bin/openapi-ts',
    makeArguments: (input: string, output: string) => ['--input', input, '--output', output],
  },
  orval: { program: '.bin/orval', makeArguments: orvalArguments },
  'orval-7': { program: 'orval-7/dist/bin/orval.js', makeArguments: orvalArguments },
}

for (const name of publishedDocumentNames) {
  describe(`the published OpenAPI document of a ${name}`, { concurrency: true }, () => {
    it('passes the strict recommended rules of Redocly', async () => {
      const { createConfig, lint } = await importTool('@redocly/openapi-core/lib/index.js')
      const config = await createConfig({ extends: ['recommended-strict'] })
      const problems: { ruleId: string; message: string; location: { pointer: string }[] }[] =
        await lint({ ref: documentFile(name), config })

      // Nothing in a request for metadata or keys can be invalid.
      const isMetadata = ({
        ruleId,
        location,
      }: {
        ruleId: string
        location: { pointer: string }[]
      }) =>
        ruleId === 'operation-4xx-response' && /well-known|jwks/.test(location[0]?.pointer ?? '')
      assert.deepEqual(
        problems
          .filter((problem) => !isMetadata(problem))
          .map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
        [],
      )
    })

    it('passes the oas rules of Spectral', async () => {
      const spectral = new spectralCore.Spectral()
      spectral.setRuleset({
        extends: [rulesets.oas as RulesetDefinition],
        // The tests of the documents validate the examples. These rules compile a schema for each, which takes seconds.
        rules: { 'oas3-valid-media-example': 'off', 'oas3-valid-schema-example': 'off' },
      })

      const found = await spectral.run(readDocument(name))

      assert.deepEqual(
        found.map(({ code, path, message }) => [code, path.join('/'), message]),
        [],
      )
    })

    for (const [generator, { program, makeArguments }] of Object.entries(generators)) {
      it(`is turned into types without unknown fields by ${generator}`, async () => {
        const output = join(generated, `${name}-${generator}`)
        const command = join(tools, program)
        await succeed(folder, command, ...makeArguments(documentFile(name), output))
        const unknown = globSync(`${output}{.ts,/types.gen.ts}`).flatMap(findUnknown)

        assert.deepEqual(unknown, [])
      })
    }
  })
}

it('the published OpenAPI documents violate exactly the OWASP rules that the guide lists', async () => {
  const { default: ruleset } = await importTool(
    '@stoplight/spectral-owasp-ruleset/dist/ruleset.mjs',
  )
  const spectral = new spectralCore.Spectral()
  spectral.setRuleset(ruleset)
  const violated = new Set<string | number>()
  for (const name of publishedDocumentNames) {
    const found = await spectral.run(readDocument(name))
    for (const { code } of found) violated.add(code)
  }

  assert.deepEqual(violated, new Set(guide.match(/\bowasp:[\w:-]+/g)))
})

it('the generated code compiles in strict mode', async () => {
  const files = globSync('**/*.ts', { cwd: generated })
  const flags = ['--strict', '--noEmit', '--pretty', 'false', '--types', '']
  const target = ['--target', 'esnext', '--module', 'esnext', '--moduleResolution', 'bundler']
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')

  assert.equal(globSync('p*-*', { cwd: generated }).length, 2 * Object.keys(generators).length)
  await succeed(generated, compiler, ...flags, ...target, ...files)
})

/**
 * The lines of a generated file with a field of unknown type. The headers of a response may include unknown
 * ones, and so do the parameters of a call of another operation.
 */
function findUnknown(file: string): string[] {
  return (
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => !/^[*/]/.test(line) && /\b(unknown|any)\b/.test(line))
      .filter((line) => !/\[(name|key): string\]: unknown\b/.test(line))
      // The response to the revocation of a token has no body (RFC 7009).
      .filter((line) => line !== '200: unknown;')
  )
}

// biome-ignore lint/suspicious/noExplicitAny: a tool has no types here, since it is installed only for this test
function importTool(path: string): Promise<any> {
  return import(pathToFileURL(join(tools, path)).href)
}

/** Runs a program with the Node of this test, which must succeed. */
async function succeed(cwd: string, ...command: readonly string[]): Promise<void> {
  const { status, stdout, stderr } = await run([process.execPath, ...command], { cwd })
  assert.equal(status, 0, `${command.join(' ')}\n${stdout}${stderr}`)
}
