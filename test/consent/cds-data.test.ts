import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { assertError, openCdsPlatform, type Sharing, share } from './cds.ts'
import { issuer } from './platform.ts'

const base = `${issuer}/cds-au/v1`

/** One consent for the tests of the file: three bank accounts and one energy account. */
const sharingOnEachEngine = shareOnEachEngine(async (scope) => {
  const platform = await openCdsPlatform(scope)
  const sharing = await share(platform, { accounts: ['d1', 'd2', 'd3', 'd5'] })
  const accounts = await sharing.call('/banking/accounts', { headers: { 'x-v': '3' } })
  const byName: Record<string, string> = Object.fromEntries(
    accounts.body.data.accounts.map((each: Record<string, string>) => [
      each['displayName'],
      each['accountId'],
    ]),
  )
  return { platform, sharing, everyday: byName['Everyday'] ?? '', holiday: byName['Holiday'] ?? '' }
})

describe('Get Accounts', () => {
  it('returns the shared bank accounts with ids that are not those of the provider', async () => {
    const { sharing } = await sharingOnEachEngine()

    const { status, headers, body } = await sharing.call('/banking/accounts', {
      headers: { 'x-v': '3' },
    })

    assert.equal(status, 200)
    assert.equal(headers.get('x-v'), '3')
    const [first] = body.data.accounts
    assert.match(first.accountId, /^[\w-]{43}$/)
    assert.deepEqual(
      { ...first, accountId: undefined },
      {
        accountId: undefined,
        displayName: 'Everyday',
        openStatus: 'OPEN',
        isOwned: true,
        accountOwnership: 'UNKNOWN',
        maskedNumber: 'xxxx',
        productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS',
        productName: 'Savings',
        isInstalmentDetailAvailable: false,
      },
    )
    assert.deepEqual(
      body.data.accounts.map(({ displayName }: Record<string, string>) => displayName),
      ['Everyday', 'Holiday', 'Later'],
    )
    assert.deepEqual(body.meta, { totalRecords: 3, totalPages: 1 })
    const url = `${base}/banking/accounts?open-status=ALL&page=1&page-size=25`
    assert.deepEqual(body.links, { self: url, first: url, last: url })
  })

  it('selects by category, status and page', async () => {
    const { sharing } = await sharingOnEachEngine()
    const count = async (query: string, version = '3') => {
      const path = `/banking/accounts?${query}`
      const { body } = await sharing.call(path, { headers: { 'x-v': version } })
      return body.data.accounts.length
    }

    assert.equal(await count('product-category=BUY_NOW_PAY_LATER'), 1)
    assert.equal(await count('product-category=TERM_DEPOSITS'), 0)
    assert.equal(await count('open-status=CLOSED'), 1)
    assert.equal(await count('is-owned=false'), 0)
    assert.equal(await count('page-size=2&page=2'), 1)
    // Version 2 does not have the category.
    assert.equal(await count('', '2'), 2)
  })

  it('links the pages with absolute URLs', async () => {
    const { sharing } = await sharingOnEachEngine()

    const { body } = await sharing.call('/banking/accounts?page-size=1&page=2&is-owned=true', {
      headers: { 'x-v': '3' },
    })

    const link = (page: number) =>
      `${base}/banking/accounts?open-status=ALL&is-owned=true&page=${page}&page-size=1`
    assert.deepEqual(body.links, {
      self: link(2),
      first: link(1),
      prev: link(1),
      next: link(3),
      last: link(3),
    })
    assert.deepEqual(body.meta, { totalRecords: 3, totalPages: 3 })
  })
})

describe('balances', () => {
  it('are returned for one account, with two decimal places', async () => {
    const { sharing, everyday } = await sharingOnEachEngine()

    const { status, body } = await sharing.call(`/banking/accounts/${everyday}/balance`)

    assert.equal(status, 200)
    assert.deepEqual(body, {
      data: {
        accountId: everyday,
        currentBalance: '10.00',
        availableBalance: '-9.50',
        currency: 'AUD',
      },
      links: { self: `${base}/banking/accounts/${everyday}/balance` },
      meta: {},
    })
  })

  it('are returned for all shared accounts', async () => {
    const { sharing } = await sharingOnEachEngine()

    const all = await sharing.call('/banking/accounts/balances', { headers: { 'x-v': '2' } })
    const closed = await sharing.call('/banking/accounts/balances?open-status=CLOSED', {
      headers: { 'x-v': '2' },
    })

    assert.equal(all.body.data.balances.length, 3)
    assert.equal(closed.body.meta.totalRecords, 1)
  })

  it('are returned for the accounts in a body, in its order', async () => {
    const { sharing, everyday, holiday } = await sharingOnEachEngine()
    const accountIds = [holiday, everyday, holiday]

    const { body } = await sharing.call('/banking/accounts/balances', {
      method: 'POST',
      body: { data: { accountIds }, meta: {} },
    })

    assert.deepEqual(
      body.data.balances.map(({ accountId }: Record<string, string>) => accountId),
      [holiday, everyday],
    )
  })

  it('are refused as a whole if one account in the body is not shared', async () => {
    const { sharing, everyday } = await sharingOnEachEngine()
    const accountIds = [everyday, 'b1', 'd1']

    const answer = await sharing.call('/banking/accounts/balances', {
      method: 'POST',
      body: { data: { accountIds } },
    })

    assertError(answer, 422, 'cds-banking:Authorisation/InvalidBankingAccount')
    assert.deepEqual(
      answer.body.errors.map(({ detail }: Record<string, string>) => detail),
      ['b1', 'd1'],
    )
  })
})

describe('an account without a balance', () => {
  it('is unavailable where it is named, and left out of the balances of all accounts', async () => {
    const { platform } = await sharingOnEachEngine()
    const sharing = await share(platform, { accounts: ['d1', 'd2', 'd3', 'd6'] })
    const { body: listed } = await sharing.call('/banking/accounts', { headers: { 'x-v': '3' } })
    const idOf = (name: string): string =>
      listed.data.accounts.find((each: Record<string, string>) => each['displayName'] === name)
        .accountId
    const [bare, everyday] = [idOf('Without a balance'), idOf('Everyday')]
    const post = (...accountIds: readonly string[]) =>
      sharing.call('/banking/accounts/balances', { method: 'POST', body: { data: { accountIds } } })

    const single = await sharing.call(`/banking/accounts/${bare}/balance`)
    const named = await post(everyday, bare)
    const others = await post(everyday)
    const all = await sharing.call('/banking/accounts/balances', { headers: { 'x-v': '2' } })

    const unavailable = 'cds-banking:Authorisation/UnavailableBankingAccount'
    assertError(single, 404, unavailable)
    assertError(named, 422, unavailable)
    assert.deepEqual(
      named.body.errors.map(({ detail }: Record<string, string>) => detail),
      [bare],
    )
    assert.equal(others.body.data.balances.length, 1)
    assert.deepEqual([all.status, all.body.meta.totalRecords], [200, 3])
    assert.ok(
      all.body.data.balances.every(({ accountId }: Record<string, string>) => accountId !== bare),
    )
  })
})

describe('Get Transactions For Account', () => {
  it('returns the transactions of the last 90 days before newest-time, newest first', async () => {
    const { sharing, everyday } = await sharingOnEachEngine()
    const path = `/banking/accounts/${everyday}/transactions`

    const { body } = await sharing.call(`${path}?newest-time=2026-06-30T00:00:00Z&page-size=2`, {
      headers: { 'x-v': '2' },
    })

    assert.deepEqual(
      { ...body.data.transactions[0], transactionId: undefined },
      {
        accountId: everyday,
        transactionId: undefined,
        isDetailAvailable: false,
        type: 'OTHER',
        status: 'POSTED',
        description: 'Shop 2',
        postingDateTime: '2026-06-03T00:00:00Z',
        amount: '-2.50',
        currency: 'AUD',
        reference: '',
      },
    )
    assert.match(body.data.transactions[0].transactionId, /^[\w-]{43}$/)
    assert.deepEqual(body.meta, { totalRecords: 3, totalPages: 2 })
    const next = new URL(body.links.next)
    assert.equal(next.origin + next.pathname, base + path)
    assert.equal(next.searchParams.get('oldest-time'), '2026-04-01T00:00:00Z')
    const { body: second } = await sharing.call(`${path}${next.search}`)
    assert.equal(second.data.transactions.length, 1)
  })

  it('selects by time, amount and text', async () => {
    const { sharing, everyday } = await sharingOnEachEngine()
    const count = async (query: string) => {
      const path = `/banking/accounts/${everyday}/transactions?newest-time=2026-06-30T00:00:00Z&${query}`
      return (await sharing.call(path)).body.meta.totalRecords
    }

    assert.equal(await count('oldest-time=2025-01-01T00:00:00Z'), 4)
    assert.equal(await count('min-amount=-1.5'), 2)
    assert.equal(await count('max-amount=-1.5'), 2)
    assert.equal(await count('text=shop%201'), 1)
  })
})

describe('Get Customer', () => {
  it('returns the name of the customer', async () => {
    const { sharing } = await sharingOnEachEngine()

    const { status, body } = await sharing.call('/common/customer')

    assert.equal(status, 200)
    assert.deepEqual(body, {
      data: {
        customerUType: 'person',
        person: { firstName: 'Ana', lastName: 'Silva', middleNames: [] },
      },
      links: { self: `${base}/common/customer` },
      meta: {},
    })
  })
})

describe('ids that third parties see', () => {
  it('are the same in later consents of the customer, and differ between third parties', async () => {
    const { platform, sharing, everyday } = await sharingOnEachEngine()
    const listIds = async (other: Sharing) => {
      const { body } = await other.call('/banking/accounts', { headers: { 'x-v': '3' } })
      return body.data.accounts.map(({ accountId }: Record<string, string>) => accountId)
    }
    const again = await share(platform, { thirdParty: sharing.thirdParty })
    const another = await share(platform)

    assert.deepEqual(await listIds(again), [everyday])
    const [theirs] = await listIds(another)
    assert.notEqual(theirs, everyday)
    assertError(
      await another.call(`/banking/accounts/${everyday}/balance`),
      404,
      'cds-banking:Authorisation/InvalidBankingAccount',
    )
  })

  it('of accounts that are not shared get the same answer as unknown ids', async () => {
    const { sharing } = await sharingOnEachEngine()
    const paths = ['d1', 'd4', 'b1', 'd5', 'x', 'A'.repeat(43), '%00', 'x'.repeat(2000)]

    for (const id of paths) {
      for (const resource of ['balance', 'transactions']) {
        const answer = await sharing.call(`/banking/accounts/${id}/${resource}`)
        assertError(answer, 404, 'cds-banking:Authorisation/InvalidBankingAccount')
      }
    }
  })
})
