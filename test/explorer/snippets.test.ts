import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { makeSigningKey, toPublicKeySet } from '../../src/auth/signing.ts'
import { toPrivateJwk } from '../../src/auth/signing-key-store.ts'
import { addDecimals, negateDecimal } from '../../src/console/decimal.ts'
import type { CallInput } from '../../src/console/pages/explorer/call-input.ts'
import { indentJson } from '../../src/console/pages/explorer/indent-json.ts'
import { sumMonths } from '../../src/console/pages/explorer/months.ts'
import { formatCurl, formatTypeScript } from '../../src/console/pages/explorer/snippets.ts'
import type { BankingTransaction, ExplorerResult } from '../../src/contract/index.ts'
import { openTrustingProvider } from '../client/trusting-provider.ts'
import { createScope, describeOnce, newDatabase } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { installClient } from '../support/install-client.ts'
import { openKeyServer } from '../support/key-server.ts'
import { bankingAccount, customer } from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'

const run = promisify(execFile)
const hostileId = `c'"$(touch x)\`\\ é\n`

function createResult(request: ExplorerResult['request'], providerUrl: string): ExplorerResult {
  return {
    request,
    provider: { providerUrl, resourceUrl: providerUrl, subdomain: 's' },
    response: { status: 200, headers: [], body: '' },
    durationMs: 1,
  }
}

describeOnce('the snippets of the explorer', () => {
  it('include a TypeScript program that makes the call', async (t) => {
    const scope = createScope(t)
    const folder = await temporaryFolder(scope)
    const database = await newDatabase(scope)
    const customerId = `c'"$(x)\`\${x}é`
    await loadInProcess(database, [
      customer(customerId),
      bankingAccount('a1', { [customerId]: true }),
      {
        type: 'banking.balance',
        record: { accountId: 'a1', currentBalance: '1.10', availableBalance: '1.00' },
      },
    ])
    const key = await makeSigningKey('ES256', Temporal.Now.instant())
    const jwks = await openKeyServer(toPublicKeySet([key]).keys)
    scope.after(() => jwks.close())
    const providerUrl = await openTrustingProvider(scope, database, jwks.url)
    const input: CallInput = {
      operation: 'listBankingBalances',
      params: { customerId },
      query: { 'page-size': 5, 'is-owned': true, page: undefined },
      body: { data: { accountIds: ['a1'] } },
    }
    const result = createResult({ method: 'POST', url: '', headers: [] }, providerUrl)
    installClient(folder)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'platform.jwk'), JSON.stringify(toPrivateJwk(key)))
    writeFileSync(join(folder, 'call.ts'), formatTypeScript(input, result))

    const { stdout } = await run(process.execPath, ['call.ts'], { cwd: folder })

    assert.equal(JSON.parse(stdout).data.balances[0].currentBalance, '1.10')
  })

  it('include a curl command whose arguments are exact in a shell', async () => {
    const url = `http://127.0.0.1:1/customer/${encodeURIComponent(hostileId)}`
    const body = JSON.stringify({ text: hostileId })
    const request = { method: 'POST', url: `${url}?text='x'`, headers: [], body }
    const command = formatCurl(createResult(request, 'http://127.0.0.1:1'))
    const show = `npx() { printf '%s\\n' "$@" >&2; }; curl() { printf '%s\\0' "$@"; };`
    const { stdout, stderr } = await run('bash', ['-c', `${show} ${command}`])

    assert.deepEqual(stderr.trimEnd().split('\n'), ['holdfast', 'token', url, '--subdomain', 's'])
    assert.deepEqual(stdout.split('\0').slice(0, -1), [
      '-s',
      '-X',
      'POST',
      '-H',
      'Authorization: Bearer ',
      '-H',
      'Content-Type: application/json',
      '--data-raw',
      body,
      `${url}?text='x'`,
    ])
  })
})

describeOnce('the numbers of the explorer', () => {
  it('are exact', () => {
    assert.equal(addDecimals(['0.1', '0.2']), '0.3')
    assert.equal(addDecimals(['-12345678901234567890.10', '0.105']), '-12345678901234567889.995')
    assert.equal(addDecimals(['1', '-1.00', 'x']), '0.00')
    assert.equal(addDecimals([]), '0')
    assert.equal(addDecimals(['-0.05', '0.01']), '-0.04')
    assert.equal(negateDecimal('-0.10'), '0.10')
    assert.equal(negateDecimal('0.00'), '0.00')
  })

  it('are summed by month of the zone, without pending transactions, back from the current balance', () => {
    const transaction = (amount: string, postingDateTime: string, status = 'POSTED') =>
      ({ amount, postingDateTime, status }) as BankingTransaction
    const transactions = [
      transaction('10.10', '2026-03-01T00:30:00+01:00'),
      transaction('-0.20', '2026-05-31T23:59:59Z'),
      transaction('-5', '2026-05-01T00:00:00Z', 'PENDING'),
      transaction('0.10', '2026-05-01T00:00:00Z'),
    ]

    assert.deepEqual(sumMonths(transactions, '100.00', 'UTC'), [
      { month: '2026-02', moneyIn: '10.10', moneyOut: '0', balance: '100.10' },
      { month: '2026-03', moneyIn: '0', moneyOut: '0', balance: '100.10' },
      { month: '2026-04', moneyIn: '0', moneyOut: '0', balance: '100.10' },
      { month: '2026-05', moneyIn: '0.10', moneyOut: '0.20', balance: '100.00' },
    ])
    assert.deepEqual(
      sumMonths(transactions, '100.00', 'Australia/Sydney').map(({ month, moneyIn, moneyOut }) => [
        ...[month, moneyIn, moneyOut],
      ]),
      [
        ['2026-03', '10.10', '0'],
        ['2026-04', '0', '0'],
        ['2026-05', '0.10', '0'],
        ['2026-06', '0', '0.20'],
      ],
    )
    assert.deepEqual(sumMonths([], '1', 'UTC'), [])
  })

  it('are shown as they were received when a response is indented', () => {
    const text = '{"a":[1.10,1e400,-0],"b":{},"c":"x,\\"{}: y","d":[]}'
    const indented = indentJson(text)

    assert.equal(
      indented,
      '{\n  "a": [\n    1.10,\n    1e400,\n    -0\n  ],\n  "b": {},\n  "c": "x,\\"{}: y",\n  "d": []\n}',
    )
    assert.equal(indentJson('<p>no "JSON [1,2]'), '<p>no "JSON [1,2]')
  })
})
