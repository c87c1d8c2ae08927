import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import type { Deployment } from '../support/deployment.ts'
import { send } from '../support/http.ts'
import { operations } from '../support/operations.ts'
import type { Server } from '../support/process.ts'
import { makeKey, mintToken, validClaims } from '../support/tokens.ts'
import type { Markers } from './markers.ts'

/** A customer with an account of each kind. Every value is a marker where the field allows it. */
export function createMarkedBank(markers: Markers) {
  const [customerId, bankingId, energyId] = ['customer', 'banking', 'energy'].map(markers.text)
  const email = markers.email()
  const address = { locality: markers.text('locality'), streetAddress: markers.text('street') }
  const money = () => `${markers.digits(8)}.25`
  const ids = { customerId: customerId ?? '', bankingId: bankingId ?? '', energyId: energyId ?? '' }
  const now = Temporal.Now.instant().subtract({ hours: 1 }).toString()
  const lines = [
    {
      type: 'customer',
      record: {
        id: customerId,
        name: markers.text('name'),
        familyName: markers.text('family'),
        givenName: markers.text('given'),
        email,
        phoneNumber: `+61 ${markers.digits(9)}`,
        address,
      },
    },
    {
      type: 'banking.account',
      holders: [{ customerId, isOwned: true }],
      record: {
        accountId: bankingId,
        displayName: markers.text('display'),
        maskedNumber: markers.text('masked'),
        bsb: Number(markers.digits(7)),
        accountNumber: Number(markers.digits(9)),
      },
    },
    {
      type: 'banking.balance',
      record: { accountId: bankingId, currentBalance: money(), availableBalance: money() },
    },
    {
      type: 'banking.transaction',
      record: {
        accountId: bankingId,
        transactionId: markers.text('transaction'),
        isDetailAvailable: false,
        type: 'PAYMENT',
        status: 'POSTED',
        description: markers.text('description'),
        reference: markers.text('reference'),
        postingDateTime: now,
        amount: money(),
      },
    },
    {
      type: 'energy.account',
      holders: [{ customerId }],
      record: {
        accountId: energyId,
        accountNumber: markers.text('number'),
        displayName: markers.text('plan'),
        openStatus: 'OPEN',
        creationDate: now,
        plans: [],
      },
    },
    {
      type: 'account.contact',
      accountId: bankingId,
      status: 'OPEN',
      record: {
        holders: [
          {
            relationship: 'SOLE_OWNER',
            name: { first: markers.text('first'), last: markers.text('last') },
          },
        ],
        emails: [markers.email()],
        addresses: [
          {
            line1: markers.text('line'),
            city: markers.text('city'),
            region: 'NSW',
            postalCode: '2000',
            country: 'AU',
            type: 'MAILING',
          },
        ],
        telephones: [{ type: 'CELL', country: '61', number: markers.digits(9) }],
      },
    },
  ]
  return { ...ids, email, lines }
}

export type Bank = ReturnType<typeof createMarkedBank>

/** Sends requests whose tokens are markers too, and records their interaction IDs. */
export function openMarkedClient(
  deployment: Deployment,
  server: Pick<Server, 'port'>,
  markers: Markers,
) {
  const sent: string[] = []
  const sendMarked = async (
    path: string,
    {
      method = 'GET',
      body,
      token,
      headers = [],
    }: {
      method?: string
      body?: string
      token?: string | undefined
      headers?: readonly string[]
    } = {},
  ) => {
    const id = randomUUID()
    sent.push(id)
    const [resource = ''] = path.split('?')
    const authorization = token ?? `Bearer ${markers.add(deployment.mint(resource))}`
    const type = body === undefined ? [] : ['content-type', 'application/json']
    return send(server.port, path, {
      method,
      ...(body !== undefined && { body }),
      headers: [
        'x-fapi-interaction-id',
        id,
        ...(authorization ? ['authorization', authorization] : []),
        ...(headers.includes('content-type') ? [] : type),
        ...headers,
      ],
    })
  }
  return { sent, send: sendMarked }
}

/** Sends a valid request to every operation. Returns the bodies of the responses. */
export async function sendAllOperations(
  bank: Bank,
  send: ReturnType<typeof openMarkedClient>['send'],
): Promise<string> {
  const { customerId, bankingId, energyId, email } = bank
  const answers: string[] = []
  for (const [name, operation] of Object.entries(operations)) {
    const account = operation.kind === 'energy' ? energyId : bankingId
    const path = operation.path.replace('{customer}', customerId).replace('{account}', account)
    const body = JSON.stringify(
      operation.names === 'body' ? { data: { accountIds: [account] } } : { email },
    )
    const { status, text } = await send(path, {
      method: operation.method,
      ...(operation.method === 'POST' && { body }),
    })
    assert.equal(status, 200, `${name}: ${text}`)
    answers.push(text)
  }
  return answers.join('\n')
}

/** Sends all kinds of invalid requests, with markers wherever possible. Returns the statuses. */
export async function sendInvalidRequests(
  { customerId, bankingId }: Bank,
  deployment: Deployment,
  markers: Markers,
  send: ReturnType<typeof openMarkedClient>['send'],
): Promise<number[]> {
  const accounts = `/v1/banking/customer/${customerId}/accounts`
  const transactions = `${accounts}/${bankingId}/transactions`
  const balances = `${accounts}/balances`
  const m = (name: string) => markers.text(name)
  const oversize = ['content-type', 'application/json', 'content-length', '50000000']
  const minted = (claims: object, header: object = {}) =>
    `Bearer ${markers.add(deployment.mint(accounts, { ...claims }, { ...header }))}`
  const otherKey = makeKey('ES256', m('kid'))
  const foreignToken = mintToken(
    { ...validClaims(accounts, Date.now() / 1000), iss: m('iss') },
    { alg: 'ES256', kid: otherKey.kid },
    otherKey,
  )
  const answers = [
    await send(`${transactions}?text=${m('text')}&${m('parameter')}=${m('value')}`),
    await send(`${transactions}?oldest-time=${m('time')}`),
    await send(`${transactions}?min-amount=${m('amount')}`),
    await send(`${transactions}?page=1&page=${m('page')}`),
    await send(`/v1/banking/customer/${m('unknown')}/accounts`),
    await send(`${accounts}/${m('account')}/transactions`),
    await send(`/${m('route')}/${m('route')}?${m('query')}`),
    await send(`/v1/banking/customer/%zz${m('escape')}/accounts`),
    await send(accounts, { method: 'DELETE' }),
    await send(balances, {
      method: 'POST',
      body: JSON.stringify({ data: { accountIds: [m('id')] } }),
    }),
    await send(balances, {
      method: 'POST',
      body: JSON.stringify({ data: { [m('member')]: m('value') } }),
    }),
    await send(balances, { method: 'POST', body: `{"data":{"${m('member')}":${m('broken')}` }),
    await send(`${balances}?${m('over')}`, { method: 'POST', headers: oversize }),
    await send(balances, {
      method: 'POST',
      body: m('plain'),
      headers: ['content-type', `text/${m('type')}`],
    }),
    await send(accounts, { token: '' }),
    await send(accounts, { token: `Basic ${m('basic')}` }),
    await send(accounts, { token: `Bearer ${m('bearer')}` }),
    await send(accounts, { token: `Bearer ${m('a')}.${m('b')}.${m('c')}` }),
    await send(accounts, { token: `Bearer ${m('longtoken').repeat(500)}` }),
    await send(accounts, { token: `Bearer ${markers.add(foreignToken)}` }),
    await send(accounts, { token: minted({}, { kid: m('kid') }) }),
    await send(accounts, { token: minted({ iss: m('iss') }) }),
    await send(accounts, { token: minted({ sub: m('sub') }) }),
    await send(accounts, { token: minted({ aud: m('aud') }) }),
    await send(accounts, {
      token: minted({ jti: m('jti'), [m('claim')]: m('claim') }, { [m('head')]: m('head') }),
    }),
    await send(accounts, { token: minted({ exp: m('exp') }) }),
    await send(accounts, { token: minted({}, { alg: m('alg') }) }),
    await send(accounts, { token: minted({}, { crit: [m('crit')] }) }),
    await send(accounts, {
      headers: [
        'user-agent',
        m('agent'),
        'referer',
        `https://${m('referer')}.example/`,
        'cookie',
        m('cookie'),
        'x-forwarded-for',
        m('forwarded'),
        'traceparent',
        m('traceparent'),
        'baggage',
        m('baggage'),
        m('header'),
        m('value'),
      ],
    }),
  ]
  const repeated = `Bearer ${markers.add(deployment.mint(accounts))}`
  answers.push(await send(accounts, { token: repeated }), await send(accounts, { token: repeated }))
  return answers.map(({ status }) => status)
}

/** Sends bytes that the HTTP parser rejects. */
export async function sendMalformedRequests(
  server: Pick<Server, 'port'>,
  markers: Markers,
): Promise<void> {
  const m = (name: string) => markers.text(name)
  for (const bytes of [
    `${m('verb')} /${m('path')} HTTP/1.1\r\n\r\n`,
    `GET /${m('path')} HTTP/9.${m('version')}\r\n\r\n`,
    `GET /${m('path')} HTTP/1.1\r\nhost: x\r\nbad header ${m('header')}\r\n\r\n`,
    `GET /${m('path')} HTTP/1.1\r\nhost: x\r\nlong: ${m('long').repeat(3000)}\r\n\r\n`,
    `POST /${m('path')} HTTP/1.1\r\nhost: x\r\ncontent-length: ${m('length')}\r\n\r\n`,
    `POST /${m('path')} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${m('chunk')}\r\n`,
  ]) {
    const socket = connect(server.port, '127.0.0.1')
    // The server may close it before all bytes are sent.
    socket.on('error', () => {})
    socket.write(bytes)
    socket.resume()
    await new Promise((resolve) => socket.on('close', resolve))
  }
}
