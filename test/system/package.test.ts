import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { bundledInConsole } from '../../scripts/program.ts'
import { publishedDocumentNames } from '../../src/contract/openapi/document-names.ts'
import { buildPublishedDocument } from '../../src/platform/third-party-api/document.ts'
import { createScope } from '../support/engines.ts'
import { findFreePort } from '../support/free-port.ts'
import { findRelativeLinks } from '../support/markdown-links.ts'
import { rightProgram, wrongProgram } from '../support/package-programs.ts'
import { createPackedPackage, root, runIn, succeed } from '../support/packed-package.ts'
import { startListening } from '../support/process.ts'
import { until } from '../support/until.ts'
import { runReadmeCommands } from './readme-commands.ts'

const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')

const packages = createPackedPackage()

describe('the published package', () => {
  const { folder, project, installed, program, tarball, manifest } = packages
  after(() => packages.remove())
  before(() => packages.open())

  it('contains compiled code, types, examples, a licence and a README, and no source code', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    const source = files.filter(
      (path) => !path.startsWith('examples') && /(?<!\.d)\.ts$|\.test\.[jt]s/.test(path),
    )

    assert.deepEqual(source, [])
    for (const path of ['LICENSE', 'README.md', join('dist', 'contract', 'index.d.ts')]) {
      assert.ok(files.includes(path), `${path} is missing`)
    }
    assert.ok(readFileSync(join(root, 'README.md'), 'utf8').includes(basename(tarball())))
    assert.ok(statSync(tarball()).size < 2_000_000, `${statSync(tarball()).size} bytes`)
  })

  it('has the exact versions of its runtime packages, and no other packages', () => {
    const versions = readVersions('npm-shrinkwrap.json')
    const tested = readVersions('package-lock.json', root)

    assert.deepEqual(
      versions,
      versions.filter((version) => tested.includes(version)),
    )
    assert.ok(versions.length > 50)
    assert.deepEqual(
      versions.filter((version) => /^(node|typescript|esbuild|preact)@/.test(version)),
      [],
    )
    assert.ok(!existsSync(join(root, 'npm-shrinkwrap.json')), 'npm ci would read it')
  })

  it('has a bill of materials of these packages, and of those that the console contains', () => {
    const { bomFormat, metadata, components } = JSON.parse(
      readFileSync(join(installed, 'sbom.cdx.json'), 'utf8'),
    ) as {
      readonly bomFormat: string
      readonly metadata: { readonly component: { readonly name: string } }
      readonly components: readonly { readonly 'bom-ref': string }[]
    }
    const listed = components.map((component) => component['bom-ref'])
    const names = listed.map((reference) => reference.replace(/@[^@]+$/, ''))

    assert.equal(bomFormat, 'CycloneDX')
    assert.equal(metadata.component.name, 'holdfast')
    assert.deepEqual(
      readVersions('npm-shrinkwrap.json').filter((version) => !listed.includes(version)),
      [],
    )
    assert.deepEqual(
      bundledInConsole.filter((name) => !names.includes(name)),
      [],
    )
  })

  it('installs these versions with the commands of the guide Deploy', async () => {
    const guide = readFileSync(join(installed, 'docs', 'guides', 'deploy.md'), 'utf8')
    const [, unpack = '', install = ''] =
      /^ +mkdir (.* -C \/opt\/holdfast)\n +cd \/opt\/holdfast && (.*)\n/m.exec(guide) ?? []
    const target = join(folder, 'opt')
    const script = [
      `mkdir ${unpack.replaceAll('/opt/holdfast', target)}`,
      `cd ${target} && ${install} --prefer-offline`,
      'bin/holdfast.js --version',
    ].join('\n')

    const printed = await succeed(folder, 'bash', '-e', '-c', script)

    // The users of the guide do not exist here: all commands run as one.
    const [createFolder = '', load = ''] = [
      /^ +(install .* \/var\/lib\/holdfast)$/m,
      /^ +runuser -u holdfast -- (.*)$/m,
    ].map((line) => line.exec(guide)?.[1]?.replace('-o holdfast -g holdfast ', ''))
    const loadGuide = readFileSync(join(installed, 'docs', 'guides', 'load-data.md'), 'utf8')
    const [example = ''] = /(?<=```ndjson\n).*?(?=```)/s.exec(loadGuide) ?? []
    writeFileSync(join(folder, 'bank.ndjson'), example)
    const ofData = [createFolder, load]
      .join('\n')
      .replaceAll('/opt/holdfast', target)
      .replaceAll('/var/lib/holdfast', join(folder, 'data'))
    assert.match(await succeed(folder, 'bash', '-e', '-c', ofData), /^15 lines loaded into /)
    assert.match(printed, new RegExp(`^${RegExp.escape(manifest().version)}$`, 'm'))
    assert.deepEqual(
      readVersions('node_modules/.package-lock.json', target),
      readVersions('npm-shrinkwrap.json'),
    )
  })

  it('says how to get the right Node if it runs on an older one', async () => {
    const pretend = `Object.defineProperty(process, 'versions', { value: { node: '20.0.0' } })`
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`]
    const command = program()

    const { status, stderr } = await runIn(project, process.execPath, ...flags, command)

    assert.match(stderr, /requires Node 26\.8 or newer.*\n.*`npm install node@26`/)
    assert.equal(status, 2)
  })

  /** `name@version` of each package that a lockfile has. */
  function readVersions(name: string, from = installed): string[] {
    const { packages } = JSON.parse(readFileSync(join(from, name), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly version: string }>>
    }
    return Object.entries(packages)
      .filter(([path]) => path !== '')
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
  }

  it('has no dead links in its README and documentation, except to pictures of the repository', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    const pages = files.filter((path) => path.endsWith('.md') && !path.startsWith('node_modules'))
    const links = pages.flatMap((path) =>
      findRelativeLinks(readFileSync(join(installed, path), 'utf8')).map((link) => {
        const [target = ''] = link.split('#')
        return { path, link, target: join(target ? dirname(path) : path, target) }
      }),
    )
    const dead = links
      .filter(({ target }) => !files.includes(target.replace(/\/$/, '')))
      .filter(({ link }) => !link.endsWith('.png'))
      .map(({ path, link }) => `${path} links to ${link}`)

    assert.ok(links.filter(({ path }) => path === 'README.md').length > 10)
    assert.deepEqual(dead, [])
  })

  it('runs its command', async () => {
    const command = program()

    assert.match(await succeed(project, command, '--help'), /^Usage: holdfast /)
    assert.match(await succeed(project, command, 'openapi'), /"openapi": "3\.1\./)
  })

  it('names the function and shows the statement of an unexpected error', async () => {
    write(
      'fail.js',
      `import { main } from './node_modules/holdfast/dist/program/main.js'
       await main(null, { out: console.log, error: console.log })`,
    )

    const { status, stderr } = await runIn(project, process.execPath, 'fail.js')
    const [, shown = ''] = stderr.split('\n')

    assert.equal(status, 1)
    assert.match(stderr, /^\s+at main \(.*main\.js:\d+:\d+\)$/m)
    assert.ok(shown.length > 0 && shown.length < 400, shown)
  })

  it('runs the commands of the README in an empty folder, in the order of the text', async (t) => {
    await runReadmeCommands(createScope(t), program())
  })

  it('serves the console, of at most 150 kB compressed with its font', async (t) => {
    const command = [process.execPath, program()]
    const database = `sqlite:${join(folder, 'console.db')}`
    const flags = ['--create', '--port', '0', '--database', database]
    const { address } = await startListening(t, [...command, 'serve', 'platform', ...flags])
    const page = await (await fetch(`${address}/console`)).text()
    const assets = new Set(page.match(/(?<=\/console\/assets\/)[\w.-]+/g))
    assert.equal(assets.size, 3)
    let total = 0
    // The loop also reads what it adds: the modules that a script imports before it runs.
    for (const name of assets) {
      const response = await fetch(`${address}/console/assets/${name}`)
      assert.equal(response.status, 200, name)
      total += Number(response.headers.get('content-length'))
      const text = name.endsWith('.js') ? await response.text() : ''
      for (const [module] of text.matchAll(/(?<=\b(import|from)"\.\/)[\w.-]+/g)) assets.add(module)
    }
    assert.ok(assets.size > 5)
    assert.ok(total > 60_000 && total < 150_000, `${total} bytes`)
  })

  it('runs the checks of a platform, in their thread', async (t) => {
    const command = [process.execPath, program()] as const
    const database = ['--database', `sqlite:${join(folder, 'checks.db')}`]
    const flags = ['--provider-url', 'http://127.0.0.1:9', '--subdomain', 'bank']
    const customers = ['--check-customers', 'c1', '--create', '--port', '0']
    const serve = [...command, 'serve', 'platform', ...flags, ...customers, ...database]
    const { address } = await startListening(t, serve)
    await succeed(project, ...command, 'keys', 'add', ...database)
    const scope = ['--scope', 'operations.write', ...database]
    const added = await succeed(project, ...command, 'client', 'add', 'me', ...scope)
    const [, id, secret] = /client_id: (\S+)\nclient_secret: (\S+)/.exec(added) ?? []
    const send = async (path: string, body?: object, token?: string) => {
      const headers = {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      }
      const init = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers }
      return (await (await fetch(address + path, init)).json()) as Record<string, string>
    }
    const { token } = await send('/v1/token', { client_id: id, client_secret: secret })

    const { checkId } = await send('/v1/checks', { groups: ['tokens'] }, token)
    const read = () => send(`/v1/checks/${checkId}`, undefined, token)
    await until(async () => (await read())['state'] !== 'running')

    // The provider is unreachable.
    assert.partialDeepStrictEqual(await read(), {
      state: 'completed',
      progress: { passed: 0, failed: 1 },
    })
  })

  it('runs the mapping function of an example, copied to a project', async () => {
    const command = program()
    const example = 'core-banking-csv'
    cpSync(join(installed, 'examples', example), join(project, example), { recursive: true })

    const database = `sqlite:${join(folder, 'example.db')}`
    const files = [join(example, 'customers.csv'), join(example, 'accounts.csv')]
    const map = ['--map', join(example, 'map.ts'), '--database', database]
    assert.match(await succeed(project, command, 'load', ...map, ...files), /^120 lines loaded/)
  })

  it('exports the OpenAPI documents', async () => {
    write(
      'documents.js',
      `import provider from 'holdfast/openapi/provider.json' with { type: 'json' }
       import platform from 'holdfast/openapi/platform.json' with { type: 'json' }
       import intake from 'holdfast/openapi/intake.json' with { type: 'json' }
       import thirdParty from 'holdfast/openapi/third-party.json' with { type: 'json' }
       console.log(JSON.stringify([provider, platform, intake, thirdParty]))`,
    )
    const exported = JSON.parse(await succeed(project, process.execPath, 'documents.js'))

    const { version } = manifest()
    assert.deepEqual(
      exported,
      publishedDocumentNames.map((name) => buildPublishedDocument(name, version)),
    )
  })

  it('exports the contract', async () => {
    write(
      'validate.js',
      `import { operations, validator } from 'holdfast/contract'
       const { check, problems } = validator(operations.searchCustomers.body)
       console.log(check({ email: 'ana@example.com' }), problems({}).length)`,
    )

    assert.equal(await succeed(project, process.execPath, 'validate.js'), 'true 1\n')
  })

  it('exports the client, which runs the program of its guide', async () => {
    const guide = readFileSync(join(installed, 'docs', 'guides', 'call-a-provider.md'), 'utf8')
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = { ...privateKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256' }
    write('transactions.mjs', /```js\n(.*?)```/s.exec(guide)?.[1] ?? '')
    write('platform.jwk', JSON.stringify(key))

    const url = `http://127.0.0.1:${await findFreePort()}`
    const args = [url, 'demo', 'platform.jwk', 'c1', 'a1']
    const run = await runIn(project, process.execPath, 'transactions.mjs', ...args)

    const stderr = `getCustomer: no response from ${url}: ECONNREFUSED\n`
    assert.deepEqual(run, { status: 1, stdout: '', stderr })
  })

  it('exports the provider for other programs, which runs the program of its guide', async () => {
    const guide = readFileSync(join(installed, 'docs', 'guides', 'your-own-source.md'), 'utf8')
    const port = await findFreePort()
    write('bank.js', /```js\n(.*?)```/s.exec(guide)?.[1] ?? '')
    write(
      'serve.js',
      `import { open } from './bank.js'
       const url = 'http://127.0.0.1:${port}'
       const provider = await open(${port}, 'http://127.0.0.1:9', true)
       const { status } = await fetch(url + '/v1/banking/customer/c1/accounts')
       const { info } = await (await fetch(url + '/openapi.json')).json()
       await provider.close()
       console.log(status, info.version)`,
    )

    const { version } = manifest()
    assert.equal(await succeed(project, process.execPath, 'serve.js'), `401 ${version}\n`)
  })

  it('exports the conformance tester', async () => {
    write(
      'check.js',
      `import { checkProvider, publishKeys } from 'holdfast/check'
       const testKeys = await publishKeys({ port: 0 })
       const { results } = await checkProvider({
         url: 'http://127.0.0.1:1', subdomain: 's', testKeys, customers: ['c1'], rate: 0,
       })
       await testKeys.close()
       console.log(results[0].id, results[0].judgement)`,
    )

    assert.equal(await succeed(project, process.execPath, 'check.js'), 'tokens.good fail\n')
  })

  it('does not export internal modules', async () => {
    write('internal.js', `import 'holdfast/dist/program/main.js'`)

    const { status, stderr } = await runIn(project, process.execPath, 'internal.js')

    assert.match(stderr, /ERR_PACKAGE_PATH_NOT_EXPORTED/)
    assert.equal(status, 1)
  })

  it('exports types that accept correct use and report wrong use', async () => {
    write('right.ts', rightProgram)
    write('wrong.ts', wrongProgram)

    const { stdout } = await typeCheck('right.ts', 'wrong.ts', ...copyDeclarations())
    const errors = [...stdout.matchAll(/^(\S+)\((\d+),/gm)].map(
      ([, file, line]) => `${file}:${line}`,
    )

    assert.deepEqual(
      new Set(errors),
      new Set([
        'wrong.ts:2',
        'wrong.ts:4',
        'wrong.ts:5',
        'wrong.ts:7',
        'wrong.ts:8',
        'wrong.ts:10',
        'wrong.ts:11',
        'wrong.ts:13',
        'wrong.ts:14',
        'wrong.ts:15',
        'wrong.ts:17',
      ]),
      stdout,
    )
  })

  function write(name: string, text: string): void {
    writeFileSync(join(project, name), text)
  }

  /** Copies the declarations of the package to source files, which are checked although libraries are not. */
  function copyDeclarations(): string[] {
    const dist = join(installed, 'dist')
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    for (const path of files.filter((file) => file.endsWith('.d.ts'))) {
      const copy = join(project, 'declarations', path.replace(/\.d\.ts$/, '.ts'))
      mkdirSync(dirname(copy), { recursive: true })
      copyFileSync(join(dist, path), copy)
    }
    return ['contract', 'client', 'check', 'server'].map((name) =>
      join('declarations', name, 'index.ts'),
    )
  }

  /** In strict mode. Checking the declarations of TypeBox would take several seconds. */
  function typeCheck(...files: readonly string[]) {
    const flags = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--pretty', 'false']
    const target = ['--target', 'esnext', '--module', 'nodenext', '--types', '']
    const scope = ['--skipLibCheck', '--allowImportingTsExtensions']
    return runIn(project, process.execPath, compiler, ...flags, ...target, ...scope, ...files)
  }
})
