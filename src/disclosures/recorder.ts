import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { SigningKeyStore } from '../auth/signing-key-store.ts'
import { ContractError } from '../contract/index.ts'
import { type Block, emptyChain, type Head, sealBlock } from './block.ts'
import { type DisclosureRecord, formatLine } from './record.ts'
import { type Statement, signStatement } from './statement.ts'
import type { DisclosureRecordStore } from './store.ts'

const chainBytes = 12

/** How many records and characters a block has at most, so that its readers need little memory. One record may be longer. */
const blockMax = 500
const charactersMax = 256 * 1024

/** How many records may wait. More are rejected: the database is too slow. */
const waitingMax = 10_000

/** How long an answer waits for its record, and the pause between two attempts to write a block. */
const waitMaxMs = 5000
const retryMs = 50

/** How often the head of the chain is signed, if it has grown. */
const headMs = 60_000

/** Another chain that has grown in this time, or in this time before the newest block, is named in the statements of this one. */
const othersSeconds = 2 * 60

export interface RecorderOptions {
  readonly store: DisclosureRecordStore
  readonly signingKeys: Pick<SigningKeyStore, 'list'>
  readonly clock: () => Temporal.Instant
  /** Called with the signed head of the chain. Kept elsewhere, it shows later whether blocks were removed. */
  readonly onHead: (head: Head, statement: string) => void
  /** Called with the number of records that were stored together. */
  readonly onRecords?: ((count: number) => void) | undefined
  /** Called if the head could not be signed. */
  readonly onError: (error: Error) => void
}

export type Recorder = ReturnType<typeof openRecorder>

interface Waiting {
  readonly line: string
  readonly record: DisclosureRecord | undefined
  /** A time of `performance.now()`. */
  readonly deadline: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Sealed {
  readonly block: Block
  readonly records: readonly DisclosureRecord[]
}

/** Writes the records of this process in a chain of its own, which begins with the first record. */
export function openRecorder(options: RecorderOptions) {
  const { store, signingKeys, clock, onHead, onRecords, onError } = options
  const chain = randomBytes(chainBytes).toString('base64url')
  let head = emptyChain(chain)
  let lastTime = clock()
  const waiting: Waiting[] = []
  let writing: Promise<void> | undefined
  /**
   * A block that may be stored, and whose answers were refused. An attempt that seemed to fail may still succeed, so that no
   * other block can have its number.
   */
  let doubtful: Sealed | undefined
  let writtenCount = 0
  let signedCount = 0
  let isClosed = false

  const add = (line: string, record?: DisclosureRecord): Promise<void> => {
    if (isClosed || waiting.length >= waitingMax) return Promise.reject(notRecorded())
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + waitMaxMs
      waiting.push({ line, record, deadline, resolve, reject })
      writing ??= write()
    })
  }

  /** Retries until the deadline. */
  const append = async ({ block, records }: Sealed, deadline: number): Promise<void> => {
    for (;;) {
      try {
        await before(deadline, store.append(block, records))
        break
      } catch (error) {
        if (performance.now() + retryMs >= deadline) throw error
        await wait(retryMs)
      }
    }
    head = block
    writtenCount += records.length
    onRecords?.(records.length)
  }

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const deadline = waiting[0]?.deadline ?? 0
      try {
        const first = await prepare(deadline)
        await writeGroup(takeGroup(), first, deadline)
      } catch (error) {
        const now = performance.now()
        // In the order of their deadlines.
        while ((waiting[0]?.deadline ?? Number.POSITIVE_INFINITY) <= now + retryMs)
          waiting.shift()?.reject(notRecorded(error))
        await wait(retryMs)
      }
    }
    // In the same turn as the condition: a record that is added now begins another one.
    writing = undefined
  }

  const takeGroup = (): Waiting[] => {
    let [count, characters] = [0, 0]
    for (const { line } of waiting) {
      characters += line.length
      if (count === blockMax || (count > 0 && characters > charactersMax)) break
      count += 1
    }
    return waiting.splice(0, count)
  }

  /** Stores what is in doubt. Returns the lines that the next block begins with. */
  const prepare = async (deadline: number): Promise<string[]> => {
    if (!doubtful) return head.number < 0 ? [await before(deadline, makeStatement('start'))] : []
    const { block, records } = doubtful
    await append(doubtful, deadline)
    doubtful = undefined
    return records.length === 0 ? [] : [formatLine({ kind: 'unsent', block: block.number })]
  }

  const writeGroup = async (
    group: readonly Waiting[],
    first: readonly string[],
    deadline: number,
  ): Promise<void> => {
    const now = clock()
    // In a chain, times never decrease.
    if (Temporal.Instant.compare(now, lastTime) > 0) lastTime = now
    const block = sealBlock(head, [...first, ...group.map(({ line }) => line)], lastTime)
    const sealed = { block, records: group.flatMap(({ record }) => record ?? []) }
    try {
      await append(sealed, deadline)
      for (const { resolve } of group) resolve()
    } catch (error) {
      doubtful = sealed
      for (const { reject } of group) reject(notRecorded(error))
    }
  }

  const makeStatement = async (kind: Statement['kind'], removed?: readonly Head[]) => {
    const { number, hash } = head
    const now = clock()
    const active = await store.listHeads(now, othersSeconds)
    const stated: Statement = {
      kind,
      time: now.toString(),
      head: { chain, number, hash },
      others: active.filter((other) => other.chain !== chain),
      ...(removed && { removed }),
    }
    const statement = await signStatement(signingKeys, stated)
    onHead(stated.head, statement)
    return formatLine({ kind: 'statement', statement })
  }

  const state = async (kind: 'head' | 'end'): Promise<void> => {
    const count = writtenCount
    if (count === signedCount && (kind === 'head' || head.number < 0)) return
    await add(await makeStatement(kind))
    signedCount = count
  }

  const timer = setInterval(() => {
    state('head').catch((cause: unknown) => {
      onError(new Error('the head of the records could not be signed', { cause }))
    })
  }, headMs)
  timer.unref()

  return {
    /** Resolves when the record is stored durably. Rejects with `unavailable`: the answer must not be sent then. */
    record: (record: DisclosureRecord): Promise<void> =>
      add(formatLine({ kind: 'disclosure', ...record }), record),
    /** States that blocks will be removed, durably when it resolves. */
    async stateRemoval(removed: readonly Head[]): Promise<void> {
      await add(await makeStatement('removal', removed))
    },
    /** Ends the chain. Without the database, it stays without an end. */
    async close(): Promise<void> {
      clearInterval(timer)
      await writing
      await state('end').catch(() => {})
      isClosed = true
    },
  }
}

/** Rejects at the time of `performance.now()`, if the work goes on that long. */
async function before<Result>(deadline: number, work: Promise<Result>): Promise<Result> {
  const controller = new AbortController()
  const { signal } = controller
  try {
    const end = wait(Math.max(0, deadline - performance.now()), undefined, { signal })
    return await Promise.race([
      work,
      end.then(() => {
        throw new Error('the database does not respond')
      }),
    ])
  } finally {
    controller.abort()
  }
}

function notRecorded(cause?: unknown): ContractError {
  return new ContractError('unavailable', 'the disclosure could not be recorded', { cause })
}
