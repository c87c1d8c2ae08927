import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { fileScope } from '../support/engines.ts'
import { balance, bankingAccount, contact, customer, transaction } from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'
import { until } from '../support/until.ts'
import { assertQuiet, check, focusOn, hostileStrings, openConsole } from './console-browser.ts'

const root = resolve(import.meta.dirname, '../..')

/** Runs a command of the page as a person would, in a clone. */
async function runInShell(command: string, database: string): Promise<string> {
  const npx = `npx() { shift; '${process.execPath}' '${root}/bin/holdfast.js' "$@"; }`
  const { stdout } = await promisify(execFile)('bash', ['-c', `${npx}; ${command}`], {
    env: { ...process.env, HOLDFAST_DATABASE: database },
  })
  return stdout
}

const readClipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()')

const hostileId = `h <&"'/?#é`
const hostileName = hostileStrings.join(' ')

/** A customer whose every text would run code if it were used as HTML. */
const hostileLines = [
  customer(hostileId, { name: hostileName, email: 'hostile@example.com' }),
  bankingAccount('<b>a</b>', { [hostileId]: true }, { displayName: hostileName }),
  ...hostileStrings.map((text, index) => ({
    type: 'banking.transaction',
    record: {
      accountId: '<b>a</b>',
      transactionId: `t${index}`,
      status: 'POSTED',
      amount: '-0.10',
      description: text,
      reference: text,
      postingDateTime: Temporal.Now.instant().toString(),
    },
  })),
]

const contactLines = [
  customer('contacts'),
  ...['open', 'withheld', 'none'].flatMap((id) => [
    bankingAccount(id, { contacts: true }),
    balance(id),
  ]),
  contact('open'),
  contact('withheld', 'RESTRICTED'),
  bankingAccount('unbalanced', { contacts: true }),
  transaction('unbalanced', 't1', { postingDateTime: Temporal.Now.instant().toString() }),
]

const console = await openConsole(fileScope)
await loadInProcess(console.database, [...hostileLines, ...contactLines])

describe('the explorer in a browser', () => {
  it('finds a customer, opens an account, filters and pages with the keyboard', async () => {
    const page = await console.visit('/console/explorer')
    await page.getByRole('heading', { name: 'Explorer', exact: true }).waitFor()
    await check(page, 'explorer-search')
    const email = await page.locator('.search a').first().innerText()
    await focusOn(page, 'E-mail address, customer ID or account ID')
    await page.keyboard.type(email)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '1 customer' }).waitFor()
    await check(page, 'explorer-found')
    await focusOn(page, 'Zara Zhang')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Everyday Account' }).waitFor()
    await check(page, 'explorer-customer')
    await focusOn(page, 'Everyday Account')
    await page.keyboard.press('Enter')
    const table = page.getByRole('table', { name: 'transactions' })
    await table.waitFor()
    await page.getByRole('heading', { name: 'Balance at the end of each month' }).waitFor()
    await check(page, 'explorer-account')

    await page.getByLabel('Highest amount').fill('much')
    await page.keyboard.press('Enter')
    await page.getByText('Enter a decimal, such as -12.50.').waitFor()
    await page.getByLabel('Highest amount').fill('-0.01')
    await page.keyboard.press('Enter')
    await page.getByLabel('Page size').selectOption('10')
    await page.getByText(/^Page 1 of/).waitFor()
    await page.waitForURL(/max-amount=-0\.01&page-size=10/)
    const rows = table.locator('tbody tr')
    // Until then, the table has the rows of before.
    const untilPageIsShown = () => until(async () => (await rows.count()) === 10)
    await untilPageIsShown()
    await page.getByRole('region', { name: 'transactions' }).focus()
    await page.keyboard.press('n')
    await page.getByText(/^Page 2 of/).waitFor()
    assert.match(page.url(), /page=2/)
    await page.goBack()
    await page.getByText(/^Page 1 of/).waitFor()
    await page.getByRole('region', { name: 'transactions' }).focus()
    await page.keyboard.press('n')
    await page.keyboard.press('p')
    await page.getByText(/^Page 1 of/).waitFor()
    await untilPageIsShown()
    const amounts = await rows.locator('td:last-child').allInnerTexts()
    assert.ok(amounts.every((amount) => amount.startsWith('−')))

    await page.getByLabel('Text').fill('no such text')
    await page.keyboard.press('Enter')
    await page.getByText('No transaction matches').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await table.waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('shows every part of a bank account and of an energy account', async () => {
    const page = await console.visit('/console/explorer/c-000001/b-000001-1')
    await page.getByRole('heading', { name: 'Balance at the end of each month' }).waitFor()
    await page.getByText('Table: Balance at the end of each month').click()
    await page.getByRole('table', { name: 'Balance at the end of each month' }).waitFor()
    await page.getByRole('link', { name: 'Scheduled payments' }).click()
    // What is generated depends on the date.
    const scheduled = page.getByRole('table', { name: 'scheduled payments' })
    await scheduled.or(page.getByText('No payment is scheduled')).waitFor()
    await page.getByRole('link', { name: 'Direct debits' }).click()
    await page.getByRole('table', { name: 'direct debits' }).waitFor()
    await page.getByRole('link', { name: 'Rates, fees and features' }).click()
    await page.getByText('Product category').waitFor()
    await page
      .getByText(/^0\.\d+ % \(0\.00\d+\)$/)
      .first()
      .waitFor()
    await page.getByText('1 month (P1M)').first().waitFor()
    await check(page, 'explorer-details')

    await page.goto(`${console.platform}/console/explorer/c-000001/e-000001-3`)
    await page.getByRole('heading', { name: 'Use by invoice' }).waitFor()
    await page.getByRole('table', { name: 'invoices' }).waitFor()
    await check(page, 'explorer-energy')
    await page.getByRole('link', { name: 'Billing' }).click()
    await page.getByRole('table', { name: 'charges and payments' }).waitFor()
    await page.getByRole('link', { name: 'Plans' }).click()
    await page.getByText('Fuel type').first().waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('answers why something is not there, from real calls and consents', async () => {
    const page = await console.visit('/console/explorer')
    await focusOn(page, 'E-mail address, customer ID or account ID')
    await page.keyboard.type('c-000001')
    await page.keyboard.press('Enter')
    await focusOn(page, 'Zara Zhang')
    await page.keyboard.press('Enter')
    await page.getByRole('cell', { name: 'Open' }).first().waitFor()
    await page.getByText('The customer has not shared data here').waitFor()
    await focusOn(page, 'Everyday Account')
    await page.keyboard.press('Enter')
    await page.locator('.title-line').getByText('Open').waitFor()
    await page.getByText('No consent has this account.').waitFor()
    const window = /^[\d,]+ of [\d,]+ transactions: the default window of 12 months before now\. /
    await page.getByText(window).waitFor()
    await focusOn(page, 'Show all ', 200)
    await page.keyboard.press('Enter')
    await page.getByText(/^[\d,]+ transactions of all times\./).waitFor()
    await page.goBack()
    await page.getByText(window).waitFor()
    await focusOn(page, 'Find out', 200)
    await page.keyboard.press('Enter')
    const reasons = page.getByRole('region', { name: 'Why is something not here?' })
    for (const text of [
      'The customer holds the account.',
      'The account is open.',
      'The customer can choose it in a consent.',
      'are outside the default window of 12 months before now.',
      'No active consent shares it',
    ]) {
      await reasons.getByText(text).waitFor()
    }
    await check(page, 'explorer-why')
    await page.goto(`${page.url()}?oldest-time=2000-01-01T00:00:00Z&text=no+such+text`)
    await reasons.getByRole('button', { name: 'Find out' }).click()
    await reasons.getByText('do not match the filters of this page.').waitFor()
    await reasons.getByText(/^All [\d,]+ transactions are inside the window\.$/).waitFor()
    await page.goto(`${console.platform}/console/explorer/c-000001/nothing`)
    await reasons.getByRole('button', { name: 'Find out' }).click()
    await reasons.getByText('does not hold an account with this ID').waitFor()
    assertQuiet(page)
    await page.context().close()
  })

  it('tells contact details, withheld ones and none apart', async () => {
    const page = await console.visit('/console/explorer/contacts/open?tab=contact')
    await page.getByText('Postal code').waitFor()
    for (const [id, text] of [
      ['withheld', 'The contact details of this account are withheld'],
      ['none', 'This account has no contact details'],
    ] as const) {
      await page.goto(`${console.platform}/console/explorer/contacts/${id}?tab=contact`)
      await page.locator('.tab').getByText(text).waitFor()
      assert.equal(await page.getByRole('alert').count(), 0)
    }
    await check(page, 'explorer-contact')
    assertQuiet(page)
    await page.context().close()
  })

  it('opens a bank account without a balance, and shows no amounts of one', async () => {
    const page = await console.visit('/console/explorer/contacts/unbalanced')
    await page.getByRole('heading', { name: 'Money in and out' }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    assert.equal(await page.getByText(/^(Current balance|Balance at)/).count(), 0)
    assertQuiet(page)
    await page.context().close()
  })

  it('copies a request as a curl command that runs', async () => {
    const page = await console.visit('/console/explorer/c-000001/b-000001-1')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('table', { name: 'transactions' }).waitFor()
    await page.getByRole('heading', { name: 'Balance at the end of each month' }).waitFor()
    for (const operation of ['listBankingTransactions', 'listBankingBalances']) {
      const call = page.locator('details.call', { hasText: operation }).first()
      await call.locator('summary').click()
      await call.getByRole('button', { name: 'Copy as curl' }).click()
      await call.getByRole('button', { name: 'Copied' }).waitFor()
      const command = await readClipboard(page)
      const output = await runInShell(`${command} -w '\\n%{http_code}'`, console.database)
      assert.match(output, /\n200$/, `${command}\n${output}`)
      assert.match(output, /^\{"data":/)
      if (operation === 'listBankingTransactions') await check(page, 'explorer-call')
    }
    assertQuiet(page)
    await page.context().close()
  })

  it('shows hostile text as text, and runs hostile ids in no shell', async () => {
    const page = await console.visit('/console/explorer?search=hostile%40example.com')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.locator('tbody th a').click()
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>', level: 1 }).waitFor()
    await page.locator('tbody th a').click()
    const table = page.getByRole('table', { name: 'transactions' })
    await table.getByText('<img src=x onerror=alert(1)>').first().waitFor()
    await check(page, 'explorer-hostile')
    const call = page.locator('details.call', { hasText: 'listBankingTransactions' }).last()
    await call.locator('summary').click()
    await call.getByText('javascript:alert(1)').first().waitFor()
    await call.getByRole('button', { name: 'Copy as curl' }).click()
    await call.getByRole('button', { name: 'Copied' }).waitFor()
    const command = await readClipboard(page)
    assert.match(await runInShell(`${command} -w '\\n%{http_code}'`, console.database), /\n200$/)
    assertQuiet(page)
    await page.context().close()
  })

  it('says what is wrong: unknown customers, e-mail addresses and a missing scope', async () => {
    const page = await console.visit('/console/explorer/unknown')
    await page.getByText('The provider responded with 404: Customer not found').waitFor()
    await check(page, 'explorer-unknown')
    await page.goto(`${console.platform}/console/explorer?search=unknown%40example.com`)
    await page.getByText('No customer has this e-mail address').waitFor()
    await page.goto(`${console.platform}/console/explorer?search=nonsense`)
    await page.getByText('No customer and no account with this ID was found').waitFor()
    await page.getByLabel('E-mail address, customer ID or account ID').fill('zara@')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByText('Enter the whole e-mail address').waitFor()
    await page.goto(`${console.platform}/console/explorer?search=a%40b%40c`)
    await page
      .getByText('E-mail address: Enter the whole e-mail address, such as ana@example.com.')
      .waitFor()
    await page.getByText('body.email must be an e-mail address').waitFor()
    assertQuiet(page)
    await page.context().close()

    const other = await console.visitAs(['products.read'], '/console/explorer')
    await other.getByText('This page needs the scope data.read').waitFor()
    await other.context().close()
  })
})
