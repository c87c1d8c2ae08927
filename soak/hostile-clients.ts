import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { SoakContext } from './context.ts'
import type { Token } from './platform.ts'
import { pick } from './random-request.ts'
import type { SoakRequest } from './send-request.ts'

const pauseMs = 20

/** How many requests use one token concurrently. */
const concurrentUses = 6

/** Sends invalid, replayed and malformed requests one after another. */
export async function runHostileClient(context: SoakContext): Promise<void> {
  while (!context.isFinished()) {
    await pick(attacks)(context)
    await wait(pauseMs)
  }
}

/** Keeps connections open while it sends or reads slowly. */
export async function runSlowClient(context: SoakContext): Promise<void> {
  while (!context.isFinished()) await pick([slowWriter, slowReader])(context)
}

type Attack = (context: SoakContext) => Promise<void>

/** Sends a request that must be rejected with the status. */
async function expectRejected(
  { tally, send }: SoakContext,
  name: string,
  request: SoakRequest,
  token: Token | undefined,
  status: number,
): Promise<void> {
  tally.count('invalid requests')
  const response = await send(request, token)
  if (response && response.status !== status && response.status !== 503) {
    tally.fault('wrong', `${name}: ${response.status} instead of ${status}, ${response.body}`)
  }
}

const invalidToken: Attack = async (context) => {
  const { platform } = context
  const { path, other } = pickCustomers(context)
  const hour = 3600
  const now = Math.floor(Date.now() / 1000)
  const [name, token] = pick([
    ['no token', undefined],
    ['random bytes as a token', randomToken()],
    ['a forged signature', platform.forge(path)],
    ['the algorithm none', platform.mint(path, {}, { alg: 'none' })],
    ['an unknown key', platform.mint(path, {}, { kid: 'unknown' })],
    ['a token for another resource', platform.mint(other)],
    ['a token of another provider', platform.mint(path, { iss: 'other' })],
    ['an expired token', platform.mint(path, { exp: now - hour })],
    ['a token with a too distant expiry', platform.mint(path, { exp: now + 48 * hour })],
    ['a token without an id', platform.mint(path, { jti: undefined })],
  ] as const)
  await expectRejected(context, name, { path }, token, 401)
}

/** Sends an invalid request, or one for data of another customer, with a valid token. */
const invalidRequest: Attack = async (context) => {
  const { platform } = context
  const { customer, otherCustomer, path } = pickCustomers(context)
  const banking = `/v1/banking/customer/${customer.customerId}`
  const body = { data: { accountIds: [...customer.banking, otherCustomer.banking[0]] } }
  const [name, request, status] = pick<[string, SoakRequest, number]>([
    ['an unknown customer', { path: '/auth/v1/customer/unknown' }, 404],
    [
      'an account of another customer',
      { path: `${banking}/accounts/${otherCustomer.banking[0]}/transactions` },
      404,
    ],
    [
      'an account of another customer in the body',
      { path: `${banking}/accounts/balances`, body: JSON.stringify(body) },
      422,
    ],
    ['a body that is not JSON', { path: `${banking}/accounts/balances`, body: '{"data":' }, 400],
    ['a page size of zero', { path: `${banking}/accounts`, query: '?page-size=0' }, 400],
    ['an unknown route', { path: '/v1/banking/everything' }, 404],
    ['an unsupported method', { path, method: 'DELETE' }, 405],
  ])
  await expectRejected(context, name, request, platform.mint(request.path), status)
}

/** Uses one token concurrently on connections to different workers. Only one use may succeed. */
const concurrentUse: Attack = async ({ tally, platform, send, usedTokens, ...context }) => {
  const { path } = pickCustomers(context)
  const token = platform.mint(path)
  tally.count('concurrent uses of a token')
  const responses = await Promise.all(
    Array.from({ length: concurrentUses }, () => send({ path }, token)),
  )
  const statuses = responses.map((response) => response?.status)
  if (statuses.every((status) => status === 401)) {
    tally.fault('wrong', `${path}: no use of a valid token was accepted`)
  }
  const unexpected = statuses.find((status) => status && ![200, 401, 503].includes(status))
  if (unexpected) tally.fault('wrong', `${path}: ${unexpected} for a concurrent use`)
  usedTokens.add({ request: { path }, token })
}

const replay: Attack = async ({ tally, send, usedTokens }) => {
  const use = usedTokens.random()
  if (!use || use.token.accepted === 0) return
  tally.count('replays')
  // `send` reports a fault if the token is accepted again.
  await send(use.request, use.token)
}

/** Aborts a valid request before the response. Its token is accepted at most once, then or later. */
const abort: Attack = async (context) => {
  const { tally, platform, send, answers } = context
  const { path } = pickCustomers(context)
  const token = platform.mint(path)
  const socket = await openConnection(context)
  answers.begin()
  socket.write(`${requestHead(path, token)}\r\n`)
  await wait(Math.random() * 10)
  socket.destroy()
  tally.count('aborted requests')
  await send({ path }, token)
  await send({ path }, token)
}

/** Sends malformed or oversized requests, which must not get a success status. */
const malformed: Attack = async (context) => {
  const { path } = pickCustomers(context)
  const token = context.platform.mint(path)
  const bytes = pick([
    randomBytes(2000),
    Buffer.from('hello?\r\n\r\n'),
    Buffer.from(`${requestHead(path, token)}x-long: ${'x'.repeat(40_000)}\r\n\r\n`),
    Buffer.from(`${requestHead(path, token)}${'x: y\r\n'.repeat(5000)}\r\n`),
    Buffer.from(`GET /${'x'.repeat(40_000)} HTTP/1.1\r\n\r\n`),
    Buffer.from(`${requestHead(path, token)}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`),
    Buffer.from(`${requestHead(path, token)}transfer-encoding: chunked\r\n\r\nzzz\r\n`),
  ])
  context.tally.count('malformed requests')
  // Of some, the part with the token is valid.
  context.answers.begin()
  const socket = await openConnection(context)
  socket.write(bytes)
  // The server may wait for the rest of what begins like a request.
  const received = await readResponse(socket, 500)
  if (/^HTTP\/1\.1 2/.test(received))
    context.tally.fault('wrong', `malformed request: ${received.slice(0, 80)}`)
}

const slowMs = 100

const slowWriter: Attack = async (context) => {
  const { path } = pickCustomers(context)
  context.tally.count('slow clients')
  const socket = await openConnection(context)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  for (const byte of `${requestHead(path, context.platform.mint(path))}x-slow: ${'x'.repeat(1000)}`) {
    if (context.isFinished() || socket.destroyed || Math.random() < 0.01) break
    socket.write(byte)
    await wait(slowMs)
  }
  socket.destroy()
  if (/^HTTP\/1\.1 2/.test(received))
    context.tally.fault('wrong', 'an incomplete request was accepted')
}

const slowReader: Attack = async (context) => {
  const { customer } = pickCustomers(context)
  const path = `/v1/banking/customer/${customer.customerId}/accounts/${customer.banking[0]}/transactions`
  context.tally.count('slow clients')
  const socket = await openConnection(context)
  socket.pause()
  const request = `${requestHead(path, context.platform.mint(path)).replace(' HTTP', '?page-size=1000 HTTP')}\r\n`
  context.answers.begin()
  socket.write(request)
  for (let turn = 0; turn < 50 && !context.isFinished(); turn += 1) await wait(slowMs)
  socket.destroy()
}

const attacks = [
  invalidToken,
  invalidToken,
  invalidRequest,
  invalidRequest,
  concurrentUse,
  replay,
  replay,
  abort,
  malformed,
]

function randomToken(): Token {
  return { text: randomBytes(60).toString(pick(['base64url', 'hex'])), accepted: 0 }
}

function pickCustomers({ customers }: Pick<SoakContext, 'customers'>) {
  const customer = pick(customers)
  const otherCustomer = pick(
    customers.filter(({ banking }) => isForeign(customer.banking, banking)),
  )
  return {
    customer,
    otherCustomer,
    path: `/auth/v1/customer/${customer.customerId}`,
    other: `/auth/v1/customer/${otherCustomer.customerId}`,
  }
}

/** A joint account belongs to both customers. */
function isForeign(own: readonly string[], others: readonly string[]): boolean {
  return others[0] !== undefined && !own.includes(others[0])
}

function requestHead(path: string, { text }: Token): string {
  return `GET ${path} HTTP/1.1\r\nhost: bank.example\r\nauthorization: Bearer ${text}\r\n`
}

/** A raw connection. Errors on it are ignored. */
async function openConnection({ port }: Pick<SoakContext, 'port'>): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await new Promise<void>((resolve) => {
    socket.on('connect', () => resolve()).on('error', () => resolve())
  })
  return socket
}

async function readResponse(socket: Socket, timeoutMs: number): Promise<string> {
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  await Promise.race([closed, wait(timeoutMs)])
  socket.destroy()
  return received
}
