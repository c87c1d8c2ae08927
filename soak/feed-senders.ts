import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Answer, send } from '../test/support/http.ts'
import { addApiClient } from './api-client.ts'
import type { SoakContext } from './context.ts'
import { type Batch, type FeedData, openFeedData } from './feed-batches.ts'
import { type KillableServer, killAtRandom, openKillableServer } from './killable-server.ts'
import type { Part } from './part.ts'
import { pick } from './random-request.ts'
import { isUnavailable, requireAvailable, untilAnswered } from './retry.ts'

interface Sender {
  readonly feed: string
  readonly data: FeedData
  /** The batches that were acknowledged, and their responses. */
  readonly acknowledged: Map<number, { readonly batch: Batch; readonly text: string }>
  readonly getToken: () => Promise<string>
}

interface Feeds {
  readonly context: SoakContext
  readonly intake: KillableServer
  readonly senders: readonly Sender[]
}

/** The answers of the last 1,000 batches are stored. */
const repeatedMax = 900
const pauseMaxMs = 40
const compareShare = 0.2
const distantNumber = 1_000_000

/** Two API clients send batches of a feed each to an intake that is killed. */
export async function openFeeds(context: SoakContext, database: string): Promise<Part> {
  const intake = await openKillableServer('intake', { database })
  await intake.start()
  const openSender = async (feed: string): Promise<Sender> => ({
    feed,
    data: openFeedData(feed),
    acknowledged: new Map(),
    getToken: await addApiClient(() => intake.port, database, feed, 'data.write'),
  })
  const senders = [await openSender('core'), await openSender('cards')]
  const feeds: Feeds = { context, intake, senders }
  return {
    name: 'feeds',
    async run() {
      let isKilled = false
      const killing = killAtRandom(context, [intake], 'feeds: kills of the intake').then(() => {
        isKilled = true
      })
      const isOver = () => isKilled && context.isTimeUp()
      await Promise.all([killing, ...senders.map((sender) => sendBatches(feeds, sender, isOver))])
      const sendNext = (sender: Sender) =>
        sendBatch(feeds, sender, sender.data.createBatch(sender.acknowledged.size + 1))
      const since = performance.now()
      await Promise.all(senders.map(sendNext))
      const batchMs = performance.now() - since
      await Promise.all([
        killDuringBatches(feeds, batchMs),
        ...senders.map((sender) => endDuringKill(feeds, sender)),
      ])
    },
    errors: intake.errors,
    close: intake.kill,
  }
}

/** Sends numbered batches. Between them, sends what must be rejected, and compares what the provider serves. */
async function sendBatches(feeds: Feeds, sender: Sender, isOver: () => boolean): Promise<void> {
  for (let number = 1; number <= disturbances.length || !isOver(); number += 1) {
    await disturbances[number % disturbances.length]?.(feeds, sender, number)
    await sendBatch(feeds, sender, sender.data.createBatch(number))
    if (Math.random() < compareShare) await compareServed(feeds, sender, number)
    await wait(Math.random() * pauseMaxMs)
  }
  await compareServed(feeds, sender, sender.acknowledged.size)
}

/** Sends a batch, again and again after a kill, until it is acknowledged. */
async function sendBatch({ context: { tally }, intake }: Feeds, sender: Sender, batch: Batch) {
  const { feed, acknowledged } = sender
  const { number, lines } = batch
  const { status, text, body } = await putBatch(tally, intake, sender, feed, number, batch.body)
  const counted = body?.created + body?.changed + body?.unchanged + body?.deleted
  const isRight =
    status === 200 && isDeepStrictEqual([body.batch, body.lines, counted], [number, lines, lines])
  if (!isRight) throw new Error(`batch ${number} of ${feed}, the next one, got ${status} ${text}`)
  acknowledged.set(number, { batch, text })
  tally.count('feeds: batches acknowledged')
}

/** Sends a batch until there is a response. */
async function putBatch(
  tally: SoakContext['tally'],
  { port }: KillableServer,
  { getToken }: Sender,
  feed: string,
  number: number,
  body: string,
): Promise<Answer> {
  return untilAnswered(`batch ${number} of ${feed}`, async (attempts) => {
    if (attempts > 1) tally.count('feeds: retries')
    const answer = await send(port, `/v1/feeds/${feed}/batches/${number}`, {
      method: 'PUT',
      body,
      headers: {
        authorization: `Bearer ${await getToken()}`,
        'content-type': 'application/x-ndjson',
      },
    })
    requireAvailable(answer.status, answer.text)
    return answer
  })
}

async function readLastNumber({ intake }: Feeds, { feed, getToken }: Sender) {
  const { status, text, body } = await untilAnswered(`the state of ${feed}`, async () => {
    const headers = { authorization: `Bearer ${await getToken()}` }
    const answer = await send(intake.port, `/v1/feeds/${feed}`, { headers })
    requireAvailable(answer.status, answer.text)
    return answer
  })
  if (status === 404) return 0
  if (status !== 200) throw new Error(`the state of ${feed} got ${status} ${text}`)
  return body.batch as number
}

/** What a sender sends besides the next batch. None of it may change anything. */
type Disturbance = (feeds: Feeds, sender: Sender, next: number) => Promise<void>

const repeatBatch: Disturbance = async ({ context: { tally }, intake }, sender) => {
  const { feed, acknowledged } = sender
  const repeated = pickAcknowledged(sender)
  if (!repeated) return
  const { number, body } = repeated.batch
  const answer = await putBatch(tally, intake, sender, feed, number, body)
  tally.count('feeds: repeated batches')
  if (answer.status === 200 && answer.text === acknowledged.get(number)?.text) return
  tally.fault('wrong', `batch ${number} of ${feed} again: ${answer.status} ${answer.text}`)
}

/** An acknowledged number with other lines. */
const changeBatch: Disturbance = async (feeds, sender, next) => {
  const { tally } = feeds.context
  const changed = pickAcknowledged(sender)
  if (!changed) return
  const { number, body } = changed.batch
  const answer = await putBatch(tally, feeds.intake, sender, sender.feed, number, `${body}${body}`)
  tally.count('feeds: changed batches')
  requireConflict(feeds, sender, next, answer, `batch ${number} with other lines`)
}

const leaveGap: Disturbance = async (feeds, sender, next) => {
  const { tally } = feeds.context
  const number = next + 1 + Math.floor(Math.random() * 5)
  const body = rejectedLine(sender)
  const answer = await putBatch(tally, feeds.intake, sender, sender.feed, number, body)
  tally.count('feeds: gaps')
  requireConflict(feeds, sender, next, answer, `batch ${number} after a gap`)
}

/** A valid line before an invalid one: nothing of the batch may be stored. */
const sendInvalidLines: Disturbance = async (feeds, sender, next) => {
  const { tally } = feeds.context
  const invalid = pick([
    '{"type":"banking.balance"}',
    '{"type":"banking.balance","record":{"accountId":"missing","currentBalance":"1.00","availableBalance":"1.00"}}',
    'no JSON',
  ])
  const body = `${rejectedLine(sender)}${invalid}\n`
  const { status, text } = await putBatch(tally, feeds.intake, sender, sender.feed, next, body)
  tally.count('feeds: invalid batches')
  if (status !== 422) tally.fault('wrong', `an invalid batch of ${sender.feed}: ${status} ${text}`)
  const last = await readLastNumber(feeds, sender)
  if (last !== next - 1)
    tally.fault('wrong', `the last batch of ${sender.feed} is ${last} instead of ${next - 1}`)
}

/** A batch for the feed of the other client: one that it sent already, one after a gap, or its next one. */
const sendToOther: Disturbance = async ({ context: { tally }, intake, senders }, sender) => {
  const other = senders.find((each) => each !== sender) ?? sender
  const sent = pickAcknowledged(other)
  // A feed belongs to the client of its first batch.
  if (!sent) return
  const own = rejectedLine(sender)
  const [number, body] = pick([
    [distantNumber, own] as const,
    [sent.batch.number, sent.batch.body] as const,
    [other.acknowledged.size + 1, own] as const,
  ])
  const answer = await putBatch(tally, intake, sender, other.feed, number, body)
  tally.count('feeds: batches for the feed of another client')
  if (answer.status === 403) return
  tally.fault(
    'wrong',
    `batch ${number} of ${other.feed} by ${sender.feed}: ${answer.status} ${answer.text}`,
  )
}

const disturbances: readonly Disturbance[] = [
  async () => {},
  sendInvalidLines,
  leaveGap,
  repeatBatch,
  changeBatch,
  sendToOther,
]

function requireConflict(
  { context: { tally } }: Feeds,
  { feed }: Sender,
  next: number,
  { status, text, body }: Answer,
  name: string,
): void {
  if (status !== 409 || body.expected !== next)
    tally.fault('wrong', `${feed}: ${name}, next is ${next}: ${status} ${text}`)
}

/** A line that changes the served data if it is stored. */
function rejectedLine({ data }: Sender): string {
  return `${JSON.stringify(data.createCustomer('Rejected'))}\n`
}

function pickAcknowledged({ acknowledged }: Sender) {
  const last = acknowledged.size
  const count = Math.min(last, repeatedMax)
  return acknowledged.get(last - Math.floor(Math.random() * count))
}

/** Compares all data of a feed with the model after a batch. */
async function compareServed({ context }: Feeds, { feed, data }: Sender, number: number) {
  const { tally } = context
  for (const request of data.requests(number)) {
    const { path, query, body, part, expected } = request
    const answer = await readFromProvider(context, path, query, body)
    tally.count('feeds: responses compared')
    if (answer.status !== 200 || !isDeepStrictEqual(part(answer.body), expected(number)))
      tally.fault('wrong', `${path}${query} after batch ${number} of ${feed}: ${answer.status}`)
  }
  for (const accountId of data.missingAccounts(number)) {
    const path = `/v1/banking/customer/${data.customerId}/accounts/${accountId}/transactions`
    const { status } = await readFromProvider(context, path)
    if (status !== 404)
      tally.fault('wrong', `${path} after batch ${number} of ${feed} without it: ${status}`)
  }
}

function readFromProvider(
  { platform, port, answers }: SoakContext,
  path: string,
  query = '',
  body?: string,
): Promise<Answer> {
  return untilAnswered(path, async () => {
    answers.begin()
    const answer = await send(port, path + query, {
      headers: {
        authorization: `Bearer ${platform.mint(path).text}`,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { method: 'POST', body }),
    })
    answers.end(answer.status, String(answer.headers['x-fapi-interaction-id']))
    requireAvailable(answer.status, answer.text)
    return answer
  })
}

/** Kills the intake before or after the commit of a batch, which takes about `batchMs`. */
async function killDuringBatches(
  { context: { tally }, intake }: Feeds,
  batchMs: number,
): Promise<void> {
  await wait(Math.random() * 2 * batchMs)
  await intake.kill()
  tally.count('feeds: kills of the intake')
  await intake.start()
}

/** Sends a last batch while the intake is killed: it is there completely or not at all, and can be sent again. */
async function endDuringKill(feeds: Feeds, sender: Sender): Promise<void> {
  const { tally } = feeds.context
  const { feed, data } = sender
  const number = sender.acknowledged.size + 1
  const batch = data.createBatch(number)
  const path = `/v1/feeds/${feed}/batches/${number}`
  const headers = {
    authorization: `Bearer ${await sender.getToken()}`,
    'content-type': 'application/x-ndjson',
  }
  const answer = await send(feeds.intake.port, path, {
    method: 'PUT',
    body: batch.body,
    headers,
  }).catch((error: unknown) => {
    if (!isUnavailable(error)) throw error
  })
  const last = await readLastNumber(feeds, sender)
  tally.count(`feeds: last batches ${last === number ? 'committed' : 'not committed'}`)
  const isPossible = last === number || (last === number - 1 && answer?.status !== 200)
  if (!isPossible) {
    tally.fault(
      'wrong',
      `the last batch of ${feed} is ${last}, batch ${number} got ${answer?.status}`,
    )
  }
  await compareServed(feeds, sender, last)
  await sendBatch(feeds, sender, batch)
  await compareServed(feeds, sender, number)
}
