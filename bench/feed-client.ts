import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Bench } from './bench.ts'
import { type Running, runToEnd } from './processes.ts'

export interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

export async function addClient({ program }: Bench, database: string): Promise<Credentials> {
  const flags = ['--scope', 'data.write', '--database', database]
  const { output } = await runToEnd(program, ['client', 'add', 'bench', ...flags])
  const read = (name: string) => new RegExp(`${name}: (\\S+)`).exec(output)?.[1] ?? ''
  return { client_id: read('client_id'), client_secret: read('client_secret') }
}

export async function issueToken({ port }: Running, credentials: Credentials): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  return ((await response.json()) as { token: string }).token
}

export type Feeds = ReturnType<typeof openFeeds>

/** Sends the batches of feeds, each feed on a connection of its own. */
export function openFeeds({ port }: Running, token: string) {
  const numbers = new Map<string, number>()
  const agent = new Agent({ keepAlive: true })
  return async (feed: string, lines: readonly string[]): Promise<void> => {
    const number = (numbers.get(feed) ?? 0) + 1
    numbers.set(feed, number)
    await send(agent, port, {
      method: 'PUT',
      path: `/v1/feeds/${feed}/batches/${number}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: `${lines.join('\n')}\n`,
    })
  }
}

interface SentRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Requires status 200. */
export async function send(
  agent: Agent,
  port: number,
  { body, ...options }: SentRequest,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, agent, ...options }, async (response) => {
      const received = await text(response)
      if (response.statusCode === 200) resolve(received)
      else reject(new Error(`${options.path} returned ${response.statusCode}: ${received}`))
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

export interface Account {
  readonly customer: string
  readonly account: string
}

export function formatTransaction(account: string, id: string, time: Temporal.Instant): string {
  return JSON.stringify({
    type: 'banking.transaction',
    record: {
      accountId: account,
      transactionId: id,
      type: 'PAYMENT',
      status: 'POSTED',
      description: 'Corner Bakery',
      postingDateTime: time.toString(),
      amount: '-12.50',
      reference: 'Card 1234',
    },
  })
}
