import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { describeOn, sharedOnEachEngine } from '../support/engines.ts'
import { runInProcess } from '../support/process.ts'
import { ana, ben } from './data.ts'
import { onRefusal } from './faults/fault.ts'
import { claimsInMemory, openBank, subdomain } from './provider.ts'

describeOn('sqlite', 'holdfast check', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-check-'))
  after(() => rmSync(folder, { recursive: true }))
  const opened = sharedOnEachEngine(async (scope) => {
    const bank = await openBank(scope, claimsInMemory())
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
    const right = await bank.serve({})
    const wrong = await bank.serve(onRefusal(404, () => ({ error: 'No' })))
    return { right: right.url, wrong: wrong.url, file }
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

  it('ends with 0 where nothing failed, and writes every report', async () => {
    const { right, file } = await opened()
    const files = ['report.json', 'report.xml', 'report.html'].map((name) => join(folder, name))
    const [json = '', junit = '', html = ''] = files

    const { status, stdout } = await holdfast(
      'check',
      right,
      ...smoke,
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
    assert.equal(JSON.parse(readFileSync(json, 'utf8')).target, right)
    assert.match(readFileSync(junit, 'utf8'), /^<\?xml/)
    assert.match(readFileSync(html, 'utf8'), /^<!doctype html>/)
  })

  it('ends with 1 where something failed, and shows what to do about it', async () => {
    const { wrong, file } = await opened()

    const { status, stdout, stderr } = await holdfast('check', wrong, ...smoke, '--key', file)

    assert.equal(status, 1)
    assert.match(stderr, /errors\.customer\.unknown/)
    assert.match(stdout, /fail {2}errors\.customer\.unknown/)
    assert.match(stdout, /the interface {2}Errors, 2/)
    assert.match(stdout, /expected .*Customer not found/)
    assert.match(
      stdout,
      /> GET http.*\n {4}authorization: Bearer \[token\]\n {2}< 404\n {4}\{"error":"No"\}/,
    )
  })

  it('writes JSON alone to standard output', async () => {
    const { right, file } = await opened()

    const { stdout } = await holdfast(
      'check',
      right,
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

  it('runs the checks and groups that are named, without those that are not wanted', async () => {
    const { right, file } = await opened()

    const { stdout } = await holdfast(
      'check',
      right,
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

  it('skips everything with the reason where no token is taken', async () => {
    const { right, file } = await opened()

    const { status, stdout } = await holdfast(
      'check',
      right,
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
    assert.match(results[0].hint, /iss and sub are another/)
    assert.ok(
      results.slice(1).every(({ judgement }: { judgement: string }) => judgement === 'skip'),
    )
  })

  for (const [name, args, complaint] of [
    [
      'no key',
      ['https://bank.example', '--subdomain', 's', '--customer', 'c'],
      /--jwks-port or --key/,
    ],
    [
      'nobody to look at',
      ['https://bank.example', '--subdomain', 's', '--jwks-port', '0'],
      /--customer or --email/,
    ],
    ['no subdomain', ['https://bank.example', '--customer', 'c'], /--subdomain/],
    [
      'an address that is none',
      ['bank', '--subdomain', 's', '--customer', 'c', '--jwks-port', '0'],
      /http or https/,
    ],
    [
      'a check that does not exist',
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
      'a capability that does not exist',
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
      'a rate that is none',
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
      'a parameter that has a name',
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
      'a key that is not there',
      ['https://bank.example', '--subdomain', 's', '--customer', 'c', '--key', 'no-such-file'],
      /no-such-file/,
    ],
  ] as const) {
    it(`refuses ${name} with 2, and sends nothing`, async () => {
      const { status, stderr } = await holdfast('check', ...args)

      assert.equal(status, 2)
      assert.match(stderr, complaint)
    })
  }
})
