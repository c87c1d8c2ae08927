import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, it } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { toPublicKeySet } from '../../src/auth/signing.ts'
import { listOperationFlags } from '../../src/cli/call/operation-flags.ts'
import { type Operation, providerOperations } from '../../src/contract/index.ts'
import { openSigningKeyStore } from '../../src/storage/open.ts'
import { createExamples, put } from '../load/lines.ts'
import { createScope, describeOnce, newDatabase } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findFreePort } from '../support/free-port.ts'
import { openKeyServer } from '../support/key-server.ts'
import { loadInProcess } from '../support/load.ts'
import { runInProcess, startHoldfast, toArguments } from '../support/process.ts'
import { type FixedResponse, respondWith } from './respond.ts'
import { openTrustingProvider } from './trusting-provider.ts'

const now = new Date().toISOString()
const operationIds = Object.entries<Operation>(providerOperations)

describeOnce('holdfast call', () => {
  const scope = createScope({ after })
  let database = ''
  let providerUrl = ''
  let folder = ''
  let keyFile = ''

  before(async () => {
    folder = await temporaryFolder(scope)
    database = await newDatabase(scope)
    const transactions = Array.from({ length: 5 }, (_, index) =>
      put.transaction('a1', `t${index}`, { postingDateTime: now }),
    )
    await loadInProcess(database, [...Object.values(createExamples()), ...transactions])
    const { stdout: id } = await runInProcess(['keys', 'add', '--database', database])
    keyFile = join(folder, 'platform.jwk')
    const output = ['--output', keyFile, '--database', database]
    assert.equal((await runInProcess(['keys', 'export', id.trim(), ...output])).status, 0)
    const store = await openSigningKeyStore(database)
    const jwks = await openKeyServer(toPublicKeySet(await store.list()).keys)
    await store.close()
    scope.after(() => jwks.close())
    providerUrl = await openTrustingProvider(scope, database, jwks.url)
  })

  const call = (args: readonly string[], environment = {}, output = {}) => {
    const settings = { '--database': database, '--provider-url': providerUrl, '--subdomain': 's' }
    const missing = Object.entries(settings).filter(([flag]) => !args.includes(flag))
    return runInProcess(['call', ...args, ...missing.flat()], environment, output)
  }

  const transactions = ['listBankingTransactions', '--customer', 'c1', '--account', 'a1']

  /** Calls an operation of a server that sends a fixed response. */
  const callFixed = async (response: FixedResponse, args = transactions, ...terminal: object[]) => {
    const { url, seen } = await respondWith(scope, () => response)
    return { ...(await call([...args, '--provider-url', url], ...terminal)), seen }
  }

  it('prints the exact response', async () => {
    const window = { 'oldest-time': '2020-01-01T00:00:00Z', 'newest-time': now, 'page-size': '2' }
    const path = '/v1/banking/customer/c1/accounts/a1/transactions'

    const printed = await call([...transactions, ...toArguments(window)])
    const sign = ['token', providerUrl + path, '--key', keyFile, '--subdomain', 's']
    const { stdout: token } = await runInProcess(sign)
    const response = await fetch(`${providerUrl}${path}?${new URLSearchParams(window)}`, {
      headers: { authorization: `Bearer ${token.trim()}` },
    })

    assert.deepEqual(printed, { status: 0, stdout: await response.text(), stderr: '' })
    assert.equal(JSON.parse(printed.stdout).data.transactions.length, 2)
  })

  for (const [id, operation] of operationIds) {
    it(`has a flag for each parameter of ${id}, and calls it by name and by reference`, async () => {
      const account = operation.accountKinds?.[0] === 'energy' ? 'e1' : 'a1'
      const values = new Map([
        ['customer', 'c1'],
        ['account', account],
        ['email', 'a@example.com'],
      ])
      const required = listOperationFlags(operation).filter(({ isRequired }) => isRequired)
      const flags = required.flatMap(({ name }) => [`--${name}`, values.get(name) ?? ''])

      const { stdout: help } = await runInProcess(['call', id, '--help'])
      const byName = await call([id, ...flags])
      const byReference = await call([operation.ref, ...flags])

      for (const name of Object.keys(operation.query.properties)) {
        assert.match(help, new RegExp(`^ +--${name} <\\w+>`, 'm'))
      }
      assert.deepEqual([byName.status, byName.stderr], [0, ''])
      assert.match(byName.stdout, /^\{".*\}$/)
      assert.equal(byReference.status, 0)
    })
  }

  it('sends repeated accounts in the body', async () => {
    const args = ['listBankingBalances', '--customer', 'c1', '--account', 'a1', '--account', 'a9']

    const { status, stdout } = await call(args)

    assert.deepEqual([status, stdout], [1, '{"error":"Account in query not found"}'])
  })

  it('sends only the parameters that are given, encoded', async () => {
    const args = [...transactions, '--text', 'a&b é', '--min-amount', '-5', '--oldest-time', now]

    const { seen } = await callFixed({ status: 200, body: '{}' }, args)

    const { searchParams } = new URL(seen[0]?.url ?? '', 'http://x')
    assert.deepEqual(
      [...searchParams],
      [
        ['oldest-time', now],
        ['min-amount', '-5'],
        ['text', 'a&b é'],
      ],
    )
  })

  it('prints all records with --all, one per line, with their numbers unchanged', async () => {
    const { status, stdout } = await call([...transactions, '--all', '--page-size', '2'])
    const ids = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).transactionId)
    const body =
      '{"data": {"transactions": [{"n": 1.10}, {"n": 12345678901234567890}]}, "links": {}}'
    const exact = await callFixed({ status: 200, body }, [...transactions, '--all'])

    assert.equal(status, 0)
    assert.deepEqual(ids.sort(), ['t0', 't1', 't2', 't3', 't4'])
    assert.equal(exact.stdout, '{"n":1.10}\n{"n":12345678901234567890}\n')
  })

  it('signs with an exported key, without a database', async () => {
    const nowhere = ['--database', `sqlite:${join(folder, 'nowhere.db')}`]

    const { status, stderr } = await call([...transactions, '--key', keyFile, ...nowhere])

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  })

  it('reads its settings from the environment', async () => {
    const environment = {
      HOLDFAST_DATABASE: database,
      HOLDFAST_PROVIDER_URL: providerUrl,
      HOLDFAST_SUBDOMAIN: 's',
    }

    const { status, stderr } = await runInProcess(['call', ...transactions], environment)

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  })

  it('indents and colours the response in a terminal, and escapes what could control it', async () => {
    const body = '{"a":[1.50,"x\u202e\\u001b[2J"],"b":{"c":null,"d":"1: \\"true\\""},"e":{}}'
    const response = { status: 200, body }
    const terminal = { isOutputTerminal: true }

    const { stdout } = await callFixed(response, transactions, { NO_COLOR: '1' }, terminal)
    const coloured = await callFixed(response, transactions, {}, terminal)

    assert.equal(
      stdout,
      `{
  "a": [
    1.50,
    "x\\u202e\\u001b[2J"
  ],
  "b": {
    "c": null,
    "d": "1: \\"true\\""
  },
  "e": {}
}
`,
    )
    const [start, number] = ['\u001b[', '\u001b[33m1.50\u001b[0m']
    assert.ok(coloured.stdout.includes(`${start}34m"a"${start}0m: [\n    ${number},\n`))
    assert.equal(stripVTControlCharacters(coloured.stdout), stdout)
  })

  for (const [name, body, expected] of [
    ['text that is not JSON', '<p>\u001b[2Jx</p>\n', '<p>\\u001b[2Jx</p>\n'],
    ['JSON that is nested too deeply', '['.repeat(50_000), `${'['.repeat(50_000)}\n`],
    ['no body', '', ''],
  ] as const) {
    it(`prints ${name} in a terminal`, async () => {
      const options = { isOutputTerminal: true, isInteractive: true }

      const response = { status: 502, body }

      const { stdout, stderr, status } = await callFixed(response, transactions, {}, options)

      assert.equal(stdout, expected)
      assert.match(stderr, /the provider returned 502: the response has no error text/)
      assert.equal(status, 1)
    })
  }

  it('prints a very long text in a terminal without colours', async () => {
    const long = 'x'.repeat(20_000_000)
    const terminal = { isOutputTerminal: true }

    const answer = await callFixed(
      { status: 200, body: JSON.stringify({ long }) },
      transactions,
      {},
      terminal,
    )

    assert.deepEqual([answer.status, answer.stderr], [0, ''])
    assert.ok(answer.stdout === `{\n  "long": "${long}"\n}\n`)
  })

  it('reports records that are nested too deeply for --all', async () => {
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const body = `{"data":{"transactions":[{"a":${nested}}]},"links":{}}`

    const { status, stdout, stderr } = await callFixed({ status: 200, body }, [
      ...transactions,
      '--all',
    ])

    assert.deepEqual([status, stdout], [1, ''])
    assert.equal(stderr, 'invalid response: nested too deeply\n')
  })

  it('prints the body of an error response and exits with 1', async () => {
    const args = ['listBankingTransactions', '--customer', 'c1', '--account', 'nope']

    for (const flags of [[], ['--all']]) {
      const { status, stdout, stderr } = await call([...args, ...flags])

      assert.deepEqual([status, stdout], [1, '{"error":"Account not found"}'])
      assert.match(
        stderr,
        /^the provider returned 404: Account not found \(interaction ID [\w-]+\)\n$/,
      )
    }
  })

  it('does not retry, and escapes the error text of the provider', async () => {
    const body = '{"error":"busy\\u001b[2J\\nforged"}'

    const { status, stderr, seen } = await callFixed({ status: 503, body })

    assert.deepEqual([status, seen.length], [1, 1])
    assert.equal(stderr, 'the provider returned 503: busy\\u001b[2J\\u000aforged\n')
  })

  it('says if the provider refuses to share', async () => {
    const headers = { 'X-Sharing-Refused': 'true' }
    const { stderr } = await callFixed({ status: 404, body: '{"error":"Unknown"}', headers })

    assert.equal(stderr, 'the provider returned 404, a refusal to share: Unknown\n')
  })

  it('exits with 1 if the provider is unreachable', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`

    const { status, stdout, stderr } = await call([...transactions, '--provider-url', url])

    assert.deepEqual([status, stdout], [1, ''])
    assert.equal(stderr, `no response from ${url}: ECONNREFUSED\n`)
  })

  it('lists every operation and its reference in its help', async () => {
    const { status, stdout } = await runInProcess(['call', '--help'])

    for (const [id, { ref, summary }] of operationIds) {
      assert.match(
        stdout.replaceAll(/\s+/g, ' '),
        new RegExp(`${id}\\|${ref} \\[options\\] ${summary}`),
      )
    }
    assert.match(stdout, /^Usage: holdfast call OPERATION/)
    assert.equal(status, 0)
  })

  it('reports all invalid parameters together, without their values', async () => {
    const args = [...transactions, '--page-size', '0', '--oldest-time', 'hunter2', '--page', '1.5']

    const { status, stdout, stderr } = await call(args)

    assert.deepEqual([status, stdout], [2, ''])
    for (const flag of ['page-size', 'page', 'oldest-time']) {
      assert.match(stderr, new RegExp(`^--${flag} must be `, 'm'))
    }
    assert.doesNotMatch(stderr, /hunter2/)
  })

  for (const [name, args, expected] of [
    ['no operation', [], /^name an operation before the flags: run holdfast call --help/],
    ['an operation after flags', ['--customer', 'c1', 'getCustomer'], /before the flags/],
    [
      'a misspelled operation',
      ['listBankingTransactoins', '--customer', 'c1'],
      /did you mean listBankingTransactions\?/,
    ],
    ['an abbreviated operation', ['transactions'], /did you mean listBankingTransactions\?/],
    [
      'an unknown operation',
      ['frobnicate'],
      /^unknown operation 'frobnicate'\nRun holdfast call --help/,
    ],
    [
      'an operation of the platform',
      ['listProducts'],
      /listProducts is an operation of the platform/,
    ],
    [
      'a time with too many fraction digits',
      [...transactions, '--newest-time', '2026-01-01T00:00:00.1234567890Z'],
      /^--newest-time must be an RFC 3339 date-time with at most 9 fraction digits$/m,
    ],
    ['a missing parameter', ['getCustomer'], /--customer/],
    ['an unknown parameter', ['getCustomer', '--customer', 'c1', '--frob', 'x'], /--frob/],
    [
      'an id that is another resource',
      ['getCustomer', '--customer', '..'],
      /^--customer must be .* without \\ and the path segments/,
    ],
    [
      'an id with a path to another resource',
      ['getExampleBalance', '--customer', 'c1', '--account', '../../c2/accounts/a2'],
      /^--account must be .* without \\ and the path segments/,
    ],
    [
      'an invalid URL',
      ['getCustomer', '--customer', 'c1', '--provider-url', 'x'],
      /--provider-url must be/,
    ],
    [
      'an invalid timeout',
      ['getCustomer', '--customer', 'c1', '--timeout', '0'],
      /--timeout must be/,
    ],
    [
      'a URL with credentials',
      ['getCustomer', '--customer', 'c1', '--provider-url', 'https://a:b@bank.example'],
      /--provider-url must be an http or https URL without credentials and query/,
    ],
    [
      'an endless key file',
      ['getCustomer', '--customer', 'c1', '--key', '/dev/zero'],
      /^\/dev\/zero is not a readable JWK file/,
    ],
    ['a missing key file', ['getCustomer', '--customer', 'c1', '--key', 'nowhere'], /nowhere/],
    ['--all for one record', ['getCustomer', '--customer', 'c1', '--all'], /--all/],
  ] as const) {
    it(`rejects ${name}`, async () => {
      const { status, stdout, stderr } = await call(args)

      assert.deepEqual([status, stdout], [2, ''])
      assert.match(stderr, expected)
    })
  }

  it('rejects a key that cannot sign', async () => {
    const file = join(folder, 'public.jwk')
    writeFileSync(file, '{"kty":"EC","crv":"P-256","kid":"k1","alg":"ES256","x":"x","y":"y"}')

    const { status, stderr } = await call([...transactions, '--key', file])

    assert.deepEqual([status, stderr], [2, `the key in ${file} cannot be used for signing\n`])
  })

  it('writes the exact bytes to a pipe, in a separate process', async (t) => {
    const body = Buffer.from([...Buffer.from('{ "a" : 1.0 , "b":"\u202e'), 0xff, 0x22, 0x7d])
    const { url } = await respondWith(scope, () => ({ status: 200, body }))
    const flags = ['--provider-url', url, '--key', keyFile]

    const child = startHoldfast(createScope(t), ['call', ...transactions, ...flags])
    const [printed, errors] = await Promise.all([buffer(child.stdout), buffer(child.stderr)])

    assert.deepEqual([printed, errors.toString()], [body, ''])
  })

  it('exits with 0 if the reader of the pipe exits early', async (t) => {
    const record = JSON.stringify({ text: 'x'.repeat(1000) })
    const body = `{"data":{"transactions":[${Array(1000).fill(record).join(',')}]},"links":{}}`
    const { url } = await respondWith(scope, () => ({ status: 200, body }))
    const args = ['call', ...transactions, '--all', '--provider-url', url, '--key', keyFile]
    const child = startHoldfast(createScope(t), args)
    const errors = buffer(child.stderr)

    child.stdout.once('data', () => child.stdout.destroy())
    const status = await new Promise((resolve) => child.once('exit', resolve))

    assert.deepEqual([status, (await errors).toString()], [0, ''])
  })
})
