import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Sent } from './asking.ts'
import { pick } from './questions.ts'
import type { Scene } from './scene.ts'
import type { Token } from './tokens.ts'

const restMs = 20

/** How many try one token at once. */
const racers = 6

/** Does one thing after another that no platform should do. */
export async function hostileCaller(scene: Scene): Promise<void> {
  while (!scene.isOver()) {
    await pick(misdeeds)(scene)
    await wait(restMs)
  }
}

/** Holds connections open and gives or takes little. */
export async function slowCaller(scene: Scene): Promise<void> {
  while (!scene.isOver()) await pick([slowWriter, slowReader])(scene)
}

type Misdeed = (scene: Scene) => Promise<void>

/** Requests that must be refused in one way, whoever sends them. */
async function refused(
  { tally, ask }: Scene,
  what: string,
  sent: Sent,
  token: Token | undefined,
  status: number,
): Promise<void> {
  tally.count('bad requests')
  const answered = await ask(sent, token)
  if (answered && answered.status !== status && answered.status !== 503) {
    tally.fault('wrong', `${what}: ${answered.status} instead of ${status}, ${answered.body}`)
  }
}

const badTokens: Misdeed = async (scene) => {
  const { platform } = scene
  const { path, other } = pathsOf(scene)
  const hour = 3600
  const now = Math.floor(Date.now() / 1000)
  const [what, token] = pick([
    ['no token', undefined],
    ['garbage for a token', garbage()],
    ['a forged signature', platform.forge(path)],
    ['no algorithm', platform.mint(path, {}, { alg: 'none' })],
    ['an unknown key', platform.mint(path, {}, { kid: 'nobody' })],
    ['a token for another resource', platform.mint(other)],
    ['a token of another provider', platform.mint(path, { iss: 'other' })],
    ['an expired token', platform.mint(path, { exp: now - hour })],
    ['a token that lives too long', platform.mint(path, { exp: now + 48 * hour })],
    ['a token without an id', platform.mint(path, { jti: undefined })],
  ] as const)
  await refused(scene, what, { path }, token, 401)
}

/** With a good token: what it asks for is not there, or is not its customer's. */
const badQuestions: Misdeed = async (scene) => {
  const { platform } = scene
  const { customer, stranger, path } = pathsOf(scene)
  const banking = `/v1/banking/customer/${customer.customerId}`
  const foreign = { data: { accountIds: [...customer.banking, stranger.banking[0]] } }
  const [what, sent, status] = pick<[string, Sent, number]>([
    ['no such customer', { path: '/auth/v1/customer/nobody' }, 404],
    ['a foreign account', { path: `${banking}/accounts/${stranger.banking[0]}/transactions` }, 404],
    [
      'a foreign account in a body',
      { path: `${banking}/accounts/balances`, body: JSON.stringify(foreign) },
      422,
    ],
    ['a body that is no JSON', { path: `${banking}/accounts/balances`, body: '{"data":' }, 400],
    ['a page of nothing', { path: `${banking}/accounts`, query: '?page-size=0' }, 400],
    ['no such route', { path: '/v1/banking/everything' }, 404],
    ['a method that is not there', { path, method: 'DELETE' }, 405],
  ])
  await refused(scene, what, sent, platform.mint(sent.path), status)
}

/** One token many times at once, on connections that go to different workers: one may pass. */
const race: Misdeed = async ({ tally, platform, ask, spent, ...scene }) => {
  const { path } = pathsOf(scene)
  const token = platform.mint(path)
  tally.count('races for one token')
  const answers = await Promise.all(Array.from({ length: racers }, () => ask({ path }, token)))
  const statuses = answers.map((answered) => answered?.status)
  if (statuses.every((status) => status === 401)) {
    tally.fault('wrong', `${path}: a token passed for nobody`)
  }
  const odd = statuses.find((status) => status && ![200, 401, 503].includes(status))
  if (odd) tally.fault('wrong', `${path}: ${odd} in a race`)
  spent.remember({ sent: { path }, token })
}

const replay: Misdeed = async ({ tally, ask, spent }) => {
  const use = spent.some()
  if (!use || use.token.passed === 0) return
  tally.count('replays')
  // A second pass is an accepted replay, and is counted where it is seen.
  await ask(use.sent, use.token)
}

/** A good request whose sender leaves before the answer. The token may be spent or not; it passes once at most. */
const abort: Misdeed = async (scene) => {
  const { tally, platform, ask } = scene
  const { path } = pathsOf(scene)
  const token = platform.mint(path)
  const socket = await dial(scene)
  socket.write(`${headOf(path, token)}\r\n`)
  await wait(Math.random() * 10)
  socket.destroy()
  tally.count('aborted requests')
  await ask({ path }, token)
  await ask({ path }, token)
}

/** What is no HTTP, or too much of it. Nothing of it may be answered with data. */
const noise: Misdeed = async (scene) => {
  const { path } = pathsOf(scene)
  const good = scene.platform.mint(path)
  const bytes = pick([
    randomBytes(2000),
    Buffer.from('hello?\r\n\r\n'),
    Buffer.from(`${headOf(path, good)}x-long: ${'x'.repeat(40_000)}\r\n\r\n`),
    Buffer.from(`${headOf(path, good)}${'x: y\r\n'.repeat(5000)}\r\n`),
    Buffer.from(`GET /${'x'.repeat(40_000)} HTTP/1.1\r\n\r\n`),
    Buffer.from(`${headOf(path, good)}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`),
    Buffer.from(`${headOf(path, good)}transfer-encoding: chunked\r\n\r\nzzz\r\n`),
  ])
  scene.tally.count('noise')
  const socket = await dial(scene)
  socket.write(bytes)
  // Bytes that begin like HTTP may have to wait for more.
  const said = await heard(socket, 500)
  if (/^HTTP\/1\.1 2/.test(said)) scene.tally.fault('wrong', `noise: ${said.slice(0, 80)}`)
}

const slowMs = 100

const slowWriter: Misdeed = async (scene) => {
  const { path } = pathsOf(scene)
  scene.tally.count('slow callers')
  const socket = await dial(scene)
  let said = ''
  socket.on('data', (chunk) => {
    said += chunk
  })
  for (const byte of `${headOf(path, scene.platform.mint(path))}x-slow: ${'x'.repeat(1000)}`) {
    if (scene.isOver() || socket.destroyed || Math.random() < 0.01) break
    socket.write(byte)
    await wait(slowMs)
  }
  socket.destroy()
  if (/^HTTP\/1\.1 2/.test(said)) scene.tally.fault('wrong', 'half a request was answered')
}

const slowReader: Misdeed = async (scene) => {
  const { customer } = pathsOf(scene)
  const path = `/v1/banking/customer/${customer.customerId}/accounts/${customer.banking[0]}/transactions`
  scene.tally.count('slow callers')
  const socket = await dial(scene)
  socket.pause()
  const one = `${headOf(path, scene.platform.mint(path)).replace(' HTTP', '?page-size=1000 HTTP')}\r\n`
  socket.write(one)
  for (let turn = 0; turn < 50 && !scene.isOver(); turn += 1) await wait(slowMs)
  socket.destroy()
}

const misdeeds = [
  badTokens,
  badTokens,
  badQuestions,
  badQuestions,
  race,
  replay,
  replay,
  abort,
  noise,
]

function garbage(): Token {
  return { text: randomBytes(60).toString(pick(['base64url', 'hex'])), passed: 0 }
}

function pathsOf({ customers }: Pick<Scene, 'customers'>) {
  const customer = pick(customers)
  const stranger = pick(customers.filter((other) => isStranger(customer.banking, other.banking)))
  return {
    customer,
    stranger,
    path: `/auth/v1/customer/${customer.customerId}`,
    other: `/auth/v1/customer/${stranger.customerId}`,
  }
}

/** Joint accounts are of both. */
function isStranger(own: readonly string[], others: readonly string[]): boolean {
  return others[0] !== undefined && !own.includes(others[0])
}

function headOf(path: string, { text }: Token): string {
  return `GET ${path} HTTP/1.1\r\nhost: bank.example\r\nauthorization: Bearer ${text}\r\n`
}

/** A connection on which anything may be said. What becomes of it is its own business. */
async function dial({ port }: Pick<Scene, 'port'>): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await new Promise<void>((resolve) => {
    socket.on('connect', () => resolve()).on('error', () => resolve())
  })
  return socket
}

async function heard(socket: Socket, patienceMs: number): Promise<string> {
  let said = ''
  socket.on('data', (chunk) => {
    said += chunk
  })
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  await Promise.race([closed, wait(patienceMs)])
  socket.destroy()
  return said
}
