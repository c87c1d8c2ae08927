import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { checkProvider, publishKeys } from '../../src/check/index.ts'
import { describeOn, shareOnEachEngine } from '../support/engines.ts'
import { findFreePort } from '../support/free-port.ts'
import { runInProcess } from '../support/process.ts'
import { ana, ben } from './data.ts'
import { onStatus } from './faults/fault.ts'
import { openBank, openMemoryReplayStore, subdomain } from './provider.ts'

describeOn('sqlite', 'holdfast check', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-check-'))
  after(() => rmSync(folder, { recursive: true }))
  const opened = shareOnEachEngine(async (scope) => {
    const bank = await openBank(scope, openMemoryReplayStore())
    const [key] = bank.testKeys.keys
    const file = join(folder, 'key.jwk')
    writeFileSync(
      file,
      JSON.stringify({
        ...key?.jwk,
        kid: key?.kid,
        alg: key?.alg,
      }),
    )
    const conforming = await bank.serve({})
    const faulty = await bank.serve(onStatus(404, () => ({ error: 'No' })))
    return { conformingUrl: conforming.url, faultyUrl: faulty.url, file }
  })

  const holdfast = (...args: readonly string[]) => runInProcess(args)

  const smoke = [
    '--subdomain',
    subdomain,
    '--customer',
    ana,
    '--customer',
    ben,
    '--profile',
    'smoke',
    '--rate',
    '0',
  ]

  it('exits with 0 if no check failed, and writes every report', async () => {
    const { conformingUrl, file } = await opened()
    const files = ['report.json', 'report.xml', 'report.html'].map((name) => join(folder, name))
    const [json = '', junit = '', html = ''] = files

    const { status, stdout } = await holdfast(
      'check',
      conformingUrl,
      ...smoke,
      '--only',
      'consent,errors',
      '--key',
      file,
      '--json',
      json,
      '--junit',
      junit,
      '--html',
      html,
    )

    assert.equal(status, 0, stdout)
    assert.match(stdout, /^\d+ passed, 0 failed, \d+ skipped {3}\d+ requests/m)
    assert.equal(JSON.parse(readFileSync(json, 'utf8')).target, conformingUrl)
    assert.match(readFileSync(junit, 'utf8'), /^<\?xml/)
    assert.match(readFileSync(html, 'utf8'), /^<!doctype html>/)
  })

  it('exits with 1 if a check failed, and shows the evidence', async () => {
    const { faultyUrl, file } = await opened()

    const { status, stdout, stderr } = await holdfast(
      'check',
      faultyUrl,
      ...smoke,
      '--only',
      'consent,errors',
      '--key',
      file,
    )

    assert.equal(status, 1)
    assert.match(stderr, /errors\.customer\.unknown/)
    assert.match(stdout, /fail {2}errors\.customer\.unknown/)
    assert.match(stdout, /clause {9}Errors, 2/)
    assert.match(stdout, /expected .*Customer not found/)
    assert.match(
      stdout,
      /> GET http.*\n {4}authorization: Bearer \[token\]\n {2}< 404\n {4}\{"error":"No"\}/,
    )
  })

  it('writes only JSON to standard output with --json -', async () => {
    const { conformingUrl, file } = await opened()

    const { stdout } = await holdfast(
      'check',
      conformingUrl,
      ...smoke,
      '--key',
      file,
      '--only',
      'tokens.good',
      '--json',
      '-',
    )

    assert.deepEqual(
      JSON.parse(stdout).results.map(({ id }: { id: string }) => id),
      ['tokens.good'],
    )
  })

  it('runs the checks and groups of --only without those of --skip', async () => {
    const { conformingUrl, file } = await opened()

    const { stdout } = await holdfast(
      'check',
      conformingUrl,
      ...smoke,
      '--key',
      file,
      '--only',
      'consent,tokens.good',
      '--skip',
      'consent.search.found',
      '--json',
      '-',
    )

    const ids: string[] = JSON.parse(stdout).results.map(({ id }: { id: string }) => id)
    assert.ok(ids.includes('tokens.good') && ids.includes('consent.search.fields'))
    assert.ok(ids.every((id) => id === 'tokens.good' || id.startsWith('consent.')))
    assert.ok(!ids.includes('consent.search.found'))
  })

  it('skips all other checks with a reason if no token is accepted', async () => {
    const { conformingUrl, file } = await opened()

    const { status, stdout } = await holdfast(
      'check',
      conformingUrl,
      ...smoke,
      '--subdomain',
      'another',
      '--key',
      file,
      '--json',
      '-',
    )

    const { results } = JSON.parse(stdout)
    assert.equal(status, 1)
    assert.equal(results[0].judgement, 'fail')
    assert.match(results[0].hint, /iss and sub "another"/)
    assert.ok(
      results.slice(1).every(({ judgement }: { judgement: string }) => judgement === 'skip'),
    )
  })

  it('ends with the cause after the first request if nothing listens on the port', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`
    const files = [join(folder, 'closed.json'), join(folder, 'closed.xml')] as const

    const { status, stdout, stderr } = await holdfast(
      ...['check', url, ...smoke, '--jwks-port', '0'],
      ...['--json', files[0], '--junit', files[1]],
    )

    const { results, requests } = JSON.parse(readFileSync(files[0], 'utf8'))
    assert.equal(status, 1)
    assert.match(stderr, new RegExp(`^no response from ${url}: nothing listens on this port`, 'm'))
    assert.doesNotMatch(stderr, /does not conform/)
    assert.match(stdout, /fail {2}tokens\.good/)
    assert.doesNotMatch(stdout, /^ *skip/m)
    assert.match(results[0].reason, /nothing listens/)
    assert.match(readFileSync(files[1], 'utf8'), /nothing listens/)
    // One request, and its retry.
    assert.equal(requests, 2)
  })

  it('ends after the first request if the server is no provider, and does not wait for keys', async (t) => {
    for (const [status, type] of [
      [404, 'text/html'],
      [200, 'text/html'],
      [404, 'application/json'],
    ] as const) {
      const server = createServer((_request, response) => {
        response
          .writeHead(status, { 'content-type': type })
          .end(type === 'text/html' ? '<p>' : '{}')
      })
      t.after(() => server.close())
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

      const result = await holdfast('check', url, ...smoke, '--jwks-port', '0')

      assert.equal(result.status, 1)
      const problem = `/accounts returned ${status} with ${type}: this is no provider, or the base URL is wrong`
      assert.ok(result.stderr.includes(problem), result.stderr)
      assert.match(result.stdout, / 1 request in /)
    }
  })

  it('says that a port does not speak TLS', async (t) => {
    const server = createServer()
    t.after(() => server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`

    const { stderr } = await holdfast('check', url, ...smoke, '--jwks-port', '0')

    assert.match(stderr, /the port does not speak TLS: use http:/)
  })

  it('names a test customer that the provider does not know as the cause', async () => {
    const { conformingUrl, file } = await opened()
    for (const customers of [['nope'], [ana, 'nope']]) {
      const { status, stdout, stderr } = await holdfast(
        ...['check', conformingUrl, '--subdomain', subdomain, '--rate', '0', '--key', file],
        ...customers.flatMap((id) => ['--customer', id]),
      )

      assert.equal(status, 1)
      assert.match(stderr, /^the provider does not know the test customer nope$/m)
      assert.match(stdout, /^0 passed, 1 failed/m)
    }
  })

  it('says that it waits for the provider to fetch the keys', async (t) => {
    let isReady = false
    const server = createServer((_request, response) => {
      response.writeHead(isReady ? 200 : 401).end('{"error":"Unauthorized"}')
    })
    t.after(() => server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const testKeys = await publishKeys({ port: 0 })
    t.after(() => testKeys.close())

    await checkProvider({
      ...{ url, subdomain, testKeys, customers: ['c1'], rate: 0, profile: 'smoke' as const },
      keyWaitMs: 10_000,
      onKeyWait: () => {
        isReady = true
      },
    })

    assert.ok(isReady)
  })

  it('says whether a provider that accepts no token fetched the keys', async (t) => {
    for (const [isFetching, hint] of [
      [false, /The provider did not fetch the keys: point its JWKS URL at http:/],
      [true, /The provider fetched the keys from http:.* iss and sub "bank"/],
    ] as const) {
      const testKeys = await publishKeys({ port: 0 })
      const provider = createServer(async (_request, response) => {
        if (isFetching) await (await fetch(testKeys.url ?? '')).text()
        response.writeHead(401).end('{"error":"Unauthorized"}')
      })
      t.after(async () => {
        provider.close()
        await testKeys.close()
      })
      await once(provider.listen(0, '127.0.0.1'), 'listening')
      const { port } = provider.address() as AddressInfo

      const { results } = await checkProvider({
        url: `http://127.0.0.1:${port}`,
        subdomain: 'bank',
        testKeys,
        customers: ['c1'],
        rate: 0,
      })

      assert.match(results[0]?.hint ?? '', hint)
    }
  })

  it('fails if no check could run, even if none of them failed', async () => {
    const { conformingUrl, file } = await opened()
    const only = ['--only', 'consent', '--key', file, '--subdomain', 'another']

    const { status, stderr } = await holdfast('check', conformingUrl, ...smoke, ...only)

    assert.equal(status, 1)
    assert.match(stderr, /^C2: no token was accepted \(tried \S+\), the last one returned 401$/m)
  })

  for (const [name, args, complaint] of [
    [
      'no key',
      ['https://bank.example', '--subdomain', 's', '--customer', 'c'],
      /--jwks-port or --key/,
    ],
    [
      'no customer',
      ['https://bank.example', '--subdomain', 's', '--jwks-port', '0'],
      /--customer or --email/,
    ],
    ['no subdomain', ['https://bank.example', '--customer', 'c'], /--subdomain/],
    [
      'an invalid URL',
      ['bank', '--subdomain', 's', '--customer', 'c', '--jwks-port', '0'],
      /http or https/,
    ],
    [
      'an unknown check',
      [
        'https://bank.example',
        '--subdomain',
        's',
        '--customer',
        'c',
        '--jwks-port',
        '0',
        '--only',
        'paging.lynx',
      ],
      /paging\.lynx/,
    ],
    [
      'an unknown capability',
      [
        'https://bank.example',
        '--subdomain',
        's',
        '--customer',
        'c',
        '--jwks-port',
        '0',
        '--capability',
        'no-money',
      ],
      /no-money/,
    ],
    [
      'an invalid rate',
      [
        'https://bank.example',
        '--subdomain',
        's',
        '--customer',
        'c',
        '--jwks-port',
        '0',
        '--rate',
        'fast',
      ],
      /--rate/,
    ],
    [
      'a parameter that the interface names',
      [
        'https://bank.example',
        '--subdomain',
        's',
        '--customer',
        'c',
        '--jwks-port',
        '0',
        '--parameter',
        'E4.newest-time=to',
      ],
      /--parameter/,
    ],
    [
      'a missing key file',
      ['https://bank.example', '--subdomain', 's', '--customer', 'c', '--key', 'no-such-file'],
      /no-such-file/,
    ],
  ] as const) {
    it(`rejects ${name} with exit status 2`, async () => {
      const { status, stderr } = await holdfast('check', ...args)

      assert.equal(status, 2)
      assert.match(stderr, complaint)
    })
  }
})
