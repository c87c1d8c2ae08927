import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { SigningKeyStore } from '../../../auth/signing-key-store.ts'
import { backOff } from '../../../contract/back-off.ts'
import type { ConsentStore } from '../store.ts'
import type { DeliveryResult } from './delivery-results.ts'
import { openHosts } from './hosts.ts'
import { postForm } from './post-form.ts'
import type { PrepareReceipt } from './receipts.ts'
import { createRevocationRequest } from './revocation-request.ts'
import { type ClaimedMessage, givenUpMax, type MessageQueue, type Settlement } from './store.ts'

/** How often messages of other processes are looked for. */
const pollMs = 5000

/** The time limit of a delivery. */
const timeoutMsDefault = 10_000

/** How long a claim excludes other processes: longer than a delivery and its settlement take. */
const leaseSeconds = 60

/** The time until the next attempt: after the first one, and at most. It doubles in between. */
const retrySecondsMin = 10
const retrySecondsMax = 3600

/** How long a message is tried. */
const triedDays = 7

/** How long a shutdown waits for deliveries in flight before it interrupts them. */
const finishMs = 500

export interface DeliveryOptions {
  readonly store: Pick<ConsentStore, 'outbox' | 'thirdParties'>
  readonly signingKeys: Pick<SigningKeyStore, 'list'>
  readonly brandId: string
  /** Receipts to customers, if this process sends them. */
  readonly receipts?: { readonly url: string; readonly prepare: PrepareReceipt } | undefined
  readonly clock: () => Temporal.Instant
  /** Called with each result; `count` messages had it. */
  readonly onResult: (result: DeliveryResult, count: number) => void
  /** Called with a failure. Its reason has no personal data. */
  readonly onFailure: (message: FailedMessage, result: DeliveryResult, reason: string) => void
  /** Called if the database or a signing key cannot be used. */
  readonly onError: (error: Error) => void
  readonly timeoutMs?: number | undefined
}

type FailedMessage = Pick<ClaimedMessage, 'kind' | 'arrangementId'> & {
  readonly recipient: string
}

export interface Deliveries {
  /** Begins no more deliveries. */
  stop(): void
  /** Completes the deliveries in flight, or interrupts them after a while: another process then makes them at once. */
  close(): Promise<void>
  /** Looks for messages now. */
  wake(): void
}

/** Delivers the messages of the outbox until it is closed. */
export function openDeliveries(options: DeliveryOptions): Deliveries {
  const { store, clock, onError } = options
  const { outbox } = store
  const hosts = openHosts()
  const interrupting = new AbortController()
  const deliveries = new Set<Promise<void>>()
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isWoken = false
  let isFailing = false

  const begin = (queue: MessageQueue, host: string, message: ClaimedMessage): void => {
    hosts.begin(host)
    const delivery = attempt(options, queue, message, interrupting.signal)
      .then(
        async ({ settlement, isWorking }) => {
          hosts.end(host, isWorking, clock())
          await outbox.settle(message, settlement, clock())
        },
        (error: Error) => {
          // Without the database or a key, others would fail too.
          hosts.end(host, false, clock())
          throw error
        },
      )
      // The message is claimed again when its lease is over.
      .catch(onError)
      .finally(() => {
        deliveries.delete(delivery)
        wake()
      })
    deliveries.add(delivery)
  }

  /** Begins the deliveries that are due, and returns the time until the next one. */
  const pass = async (): Promise<number> => {
    const givenUp = await outbox.giveUp(clock().subtract({ hours: triedDays * 24 }), clock())
    if (givenUp > 0) options.onResult('gave_up', givenUp)
    const queues = (await outbox.listQueues()).flatMap((queue) => {
      const url = queue.baseUri ?? options.receipts?.url
      return url === undefined ? [] : [{ queue, host: new URL(url).host }]
    })
    hosts.retain(new Set(queues.map(({ host }) => host)))
    queues.sort((a, b) => hosts.turn(a.host) - hosts.turn(b.host))
    let next = givenUp === givenUpMax ? 0 : pollMs
    for (const { queue, host } of queues) {
      const now = clock()
      const start = Math.max(queue.due.epochMilliseconds, hosts.pausedUntil(host))
      if (start > now.epochMilliseconds) {
        next = Math.min(next, start - now.epochMilliseconds)
        continue
      }
      const capacity = hosts.capacity(host, now)
      // The end of a delivery is followed by another pass.
      if (capacity === 0 || isStopped) continue
      const lease = { id: randomUUID(), ends: now.add({ seconds: leaseSeconds }) }
      const claimed = await outbox.claim(queue.recipient, capacity, lease, now)
      for (const message of claimed) begin(queue, host, message)
    }
    return next
  }

  const run = async (): Promise<void> => {
    let next = pollMs
    try {
      do {
        isWoken = false
        next = await pass()
      } while (isWoken && !isStopped)
      isFailing = false
    } catch (error) {
      // Once in each outage.
      if (!isFailing) onError(error as Error)
      isFailing = true
    }
    running = undefined
    if (!isStopped) timer = setTimeout(wake, next).unref()
  }

  function wake(): void {
    isWoken = true
    if (running || isStopped) return
    clearTimeout(timer)
    running = run()
  }

  const unwatch = outbox.watch(wake)
  const stop = (): void => {
    isStopped = true
    clearTimeout(timer)
    unwatch()
  }
  wake()
  return {
    wake,
    stop,
    async close() {
      stop()
      await running
      await Promise.race([Promise.all(deliveries), wait(finishMs, undefined, { ref: false })])
      interrupting.abort()
      await Promise.all(deliveries)
    },
  }
}

interface Outcome {
  readonly settlement: Settlement
  /** Whether the third party answers requests, so that others can be sent to it. */
  readonly isWorking: boolean
}

/** The status of the response, and what it means if the message is delivered; or why this message alone cannot be sent yet. */
type Answer =
  | { readonly status: number; readonly result?: 'delivered' | 'unknown' | undefined }
  | { readonly refusal: string }

/** Undefined if the message cannot be sent. */
type Send = (signal: AbortSignal) => Promise<Answer | undefined>

async function attempt(
  options: DeliveryOptions,
  queue: MessageQueue,
  message: ClaimedMessage,
  interrupting: AbortSignal,
): Promise<Outcome> {
  const { clock, timeoutMs = timeoutMsDefault } = options
  const { recipient, baseUri } = queue
  const send = await (baseUri === undefined
    ? prepareReceipt(options, message)
    : prepareRevocation(options, { recipient, baseUri }, message))
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const answer = await send?.(AbortSignal.any([timeout, interrupting]))
    if (!answer) return { settlement: { state: 'cancelled', due: clock() }, isWorking: true }
    if ('refusal' in answer) {
      return { settlement: fail(options, recipient, message, answer.refusal), isWorking: true }
    }
    const { status, result } = answer
    if (result) {
      options.onResult(result, 1)
      return { settlement: { state: 'delivered', due: clock() }, isWorking: true }
    }
    const isWorking = status < 500 && status !== 408 && status !== 429
    return { settlement: fail(options, recipient, message, `status ${status}`), isWorking }
  } catch (error) {
    if (interrupting.aborted) return release(clock())
    const reason = timeout.aborted ? 'timed out' : (error as Error).message
    return { settlement: fail(options, recipient, message, reason), isWorking: false }
  }
}

/** Undefined if the third party was removed after the claim. */
async function prepareRevocation(
  { store, signingKeys, brandId, clock }: DeliveryOptions,
  { recipient, baseUri }: Required<Pick<MessageQueue, 'recipient'>> & { readonly baseUri: string },
  { arrangementId }: ClaimedMessage,
): Promise<Send | undefined> {
  const thirdParty = await store.thirdParties.find(recipient)
  if (!thirdParty) return undefined
  const request = await createRevocationRequest(
    { ...thirdParty, recipientBaseUri: baseUri },
    arrangementId,
    { keys: await signingKeys.list(), brandId, now: clock() },
  )
  return async (signal) => {
    const status = await postForm(request, signal)
    return { status, result: ({ 204: 'delivered', 422: 'unknown' } as const)[status] }
  }
}

async function prepareReceipt(
  { receipts }: DeliveryOptions,
  message: ClaimedMessage,
): Promise<Send | undefined> {
  const send = await receipts?.prepare(message)
  return (
    send &&
    (async (signal) => {
      const status = await send(signal)
      if (status === undefined) return undefined
      if (status === 'refused') return { refusal: 'data provider refuses' }
      return { status, result: status >= 200 && status < 300 ? 'delivered' : undefined }
    })
  )
}

function release(now: Temporal.Instant): Outcome {
  return { settlement: { state: 'waiting', due: now, isInterrupted: true }, isWorking: true }
}

/** Plans the next attempt, if it is not too late for one. */
function fail(
  { clock, onResult, onFailure }: DeliveryOptions,
  recipient: string,
  { kind, arrangementId, attempts, created }: ClaimedMessage,
  error: string,
): Settlement {
  const seconds = backOff(attempts, retrySecondsMin, retrySecondsMax)
  // Half of it is random, so that attempts that failed together are not repeated together.
  const due = clock().add({ milliseconds: Math.round(seconds * 500 * (1 + Math.random())) })
  const end = created.add({ hours: triedDays * 24 })
  const state = Temporal.Instant.compare(due, end) < 0 ? 'waiting' : 'given_up'
  const result = state === 'waiting' ? 'retried' : 'gave_up'
  onResult(result, 1)
  onFailure({ kind, arrangementId, recipient }, result, error)
  return { state, due, error }
}
