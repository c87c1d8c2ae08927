import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { TokenUse, UseOutcome } from '../auth/replay-store.ts'
import type { SigningKeyStore } from '../auth/signing-key-store.ts'
import { ContractError } from '../contract/index.ts'
import { type Block, emptyChain, type Head, sealBlock } from './block.ts'
import { type AnswerRecord, type DisclosureRecord, formatLine } from './record.ts'
import { requireKey, type Statement, signStatement } from './statement.ts'
import type { RecordStore } from './store.ts'

const chainBytes = 12

/** How many records and characters a block has at most, so that its readers need little memory. One record may be longer. */
const blockMax = 500
const charactersMax = 256 * 1024

/** How many records may wait. More are rejected: the database is too slow. */
const waitingMax = 10_000

/** How long an answer waits for its record, and the pause between two attempts to write a block. */
const waitMaxMs = 5000
const retryMs = 50

/** How far the clock may be behind the last block: times never decrease in a chain, so that another one begins then. */
const behindMsMax = 10_000

/** How often the head of the chain is signed, if it has grown. */
const headMs = 60_000

/** How long a stored record counts as proof that the next one can be stored. */
const recentMs = 1000

/** Another chain that has grown in this time, or in this time before the newest block, is named in the statements of this one. */
const othersSeconds = 2 * 60

export interface RecorderOptions<Kind extends AnswerRecord> {
  readonly store: Pick<RecordStore<Kind>, 'append' | 'listHeads' | 'test'>
  /** Adds a block in the commit that records the uses of tokens, if all of them are first uses. */
  readonly appendWithUses?: AppendWithUses<Kind> | undefined
  readonly signingKeys: Pick<SigningKeyStore, 'list'>
  readonly clock: () => Temporal.Instant
  /** Called with the signed head of the chain. Kept elsewhere, it shows later whether blocks were removed. */
  readonly onHead: (head: Head, statement: string) => void
  /** Called with the number of records that were stored together. */
  readonly onRecords?: ((count: number) => void) | undefined
  /** Called if the head could not be signed. */
  readonly onError: (error: Error) => void
}

type AppendWithUses<Kind> = (
  block: Block,
  records: readonly Kind[],
  uses: readonly TokenUse[],
) => Promise<readonly UseOutcome[]>

export interface Recorder<Kind extends AnswerRecord = DisclosureRecord> {
  /** Resolves when the record is stored durably. Rejects with `unavailable`: the answer must not be sent then. */
  record(record: Kind): Promise<void>
  /** Stores the record and the use of the token in one commit. There is no record unless it is the first use. */
  recordWithUse(record: Kind, use: TokenUse): Promise<UseOutcome>
  /** States that blocks will be removed, durably when it resolves. */
  stateRemoval(removed: readonly Head[]): Promise<void>
  /** Rejects with the reason if no record can be stored now. */
  test(): Promise<void>
  /** Ends the chain. Without the database, it stays without an end. */
  close(): Promise<void>
}

type Stated = Pick<Statement, 'kind' | 'removed'>

interface Waiting<Kind> {
  /** Of the record. */
  readonly line: string
  /** In place of a record. It is signed when its block is made, since it names the block before. */
  readonly stated?: Stated | undefined
  readonly record: Kind | undefined
  /** Missing if it is recorded already, or needs no record. */
  readonly use: TokenUse | undefined
  /** A time of `performance.now()`. */
  readonly deadline: number
  readonly resolve: (outcome: UseOutcome) => void
  readonly reject: (error: unknown) => void
}

interface Sealed<Kind> {
  readonly block: Block
  readonly records: readonly Kind[]
  /** The answers were refused. */
  readonly isUnsent?: boolean
  /** The last block of its chain. */
  readonly isEnd?: boolean | undefined
}

/**
 * Writes the records of this process in a chain of its own, which begins with the first record, and in another one after
 * the clock was set back.
 */
export function openRecorder<Kind extends AnswerRecord>(
  options: RecorderOptions<Kind>,
): Recorder<Kind> {
  const { store, appendWithUses, signingKeys, clock, onHead, onRecords, onError } = options
  let head = emptyChain(makeChainId())
  let lastTime = clock()
  const waiting: Waiting<Kind>[] = []
  let writing: Promise<void> | undefined
  /**
   * A block that may be stored, and whose answers were refused. An attempt that seemed to fail may still succeed, so that no
   * other block can have its number.
   */
  let doubtful: Sealed<Kind> | undefined
  /** The block whose answers were not sent, which the next block states. */
  let unsent: Block | undefined
  let writtenCount = 0
  let signedCount = 0
  /** When the last record was stored, unless an attempt failed since. */
  let storedAt = Number.NEGATIVE_INFINITY
  let isClosed = false

  const add = (
    added: Pick<Waiting<Kind>, 'line' | 'stated' | 'record' | 'use'>,
  ): Promise<UseOutcome> => {
    if (isClosed || waiting.length >= waitingMax) return Promise.reject(notRecorded())
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + waitMaxMs
      waiting.push({ ...added, deadline, resolve, reject })
      writing ??= write()
    })
  }

  const noteStored = ({ block, records }: Sealed<Kind>): void => {
    head = block
    unsent = undefined
    writtenCount += records.length
    storedAt = performance.now()
    onRecords?.(records.length)
  }

  /** Retries until the deadline. */
  const append = async (sealed: Sealed<Kind>, deadline: number): Promise<void> => {
    const { block, records, isUnsent } = sealed
    for (;;) {
      try {
        await before(deadline, store.append(block, records, isUnsent))
        break
      } catch (error) {
        if (performance.now() + retryMs >= deadline) throw error
        await wait(retryMs)
      }
    }
    noteStored(sealed)
  }

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      // What is recorded in one turn of the event loop shares a commit, also on SQLite, whose commits block it.
      await nextTurn()
      const deadline = waiting[0]?.deadline ?? 0
      try {
        const first = await prepare(deadline)
        await writeGroup(takeGroup(), first, deadline)
      } catch (error) {
        storedAt = Number.NEGATIVE_INFINITY
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

  /**
   * The next ones, of which no two use the same token. Those that need no use of a token do not wait for others, whose tokens
   * may have been used before. A statement is alone.
   */
  const takeGroup = (): Waiting<Kind>[] => {
    const tokenIds = new Set<string>()
    const isWithUses = waiting[0]?.use !== undefined
    let [count, characters] = [0, 0]
    for (const { line, use, stated } of waiting) {
      if (stated && count > 0) break
      characters += line.length
      if (use && (!isWithUses || tokenIds.has(use.tokenId))) break
      if (use) tokenIds.add(use.tokenId)
      if (count === blockMax || (count > 0 && characters > charactersMax)) break
      count += 1
      if (stated) break
    }
    return waiting.splice(0, count)
  }

  const storeDoubtful = async (deadline: number): Promise<void> => {
    if (!doubtful) return
    const { block, records, isEnd } = doubtful
    await append(doubtful, deadline)
    doubtful = undefined
    if (isEnd) head = emptyChain(makeChainId())
    else if (records.length > 0) unsent = block
  }

  const listUnsent = (): string[] =>
    unsent ? [formatLine({ kind: 'unsent', block: unsent.number })] : []

  /** Stores what is in doubt, and ends a chain that is ahead of the clock. Returns the lines that the next block begins with. */
  const prepare = async (deadline: number): Promise<string[]> => {
    await storeDoubtful(deadline)
    const behindMs = lastTime.epochMilliseconds - clock().epochMilliseconds
    if (head.number >= 0 && behindMs > behindMsMax) {
      const lines = [...listUnsent(), await before(deadline, makeStatement({ kind: 'end' }))]
      doubtful = { block: sealBlock(head, lines, lastTime), records: [], isEnd: true }
      await storeDoubtful(deadline)
    }
    return head.number < 0
      ? [await before(deadline, makeStatement({ kind: 'start' }))]
      : listUnsent()
  }

  const writeGroup = async (
    group: readonly Waiting<Kind>[],
    first: readonly string[],
    deadline: number,
  ): Promise<void> => {
    const now = clock()
    // In a chain, times never decrease.
    if (head.number < 0 || Temporal.Instant.compare(now, lastTime) > 0) lastTime = now
    let sealed: Sealed<Kind> | undefined
    try {
      const lines = [...first, ...(await listLines(group, deadline))]
      const block = sealBlock(head, lines, lastTime)
      sealed = { block, records: group.flatMap(({ record }) => record ?? []) }
      const uses = group.flatMap(({ use }) => use ?? [])
      if (appendWithUses && uses.length > 0) {
        // Not repeated: the use of a token that seemed to fail would be a second one.
        const outcomes = await before(deadline, appendWithUses(block, sealed.records, uses))
        if (outcomes.some((outcome) => outcome !== 'first use')) {
          resolveRejected(group, outcomes)
          return
        }
        noteStored(sealed)
      } else await append(sealed, deadline)
      for (const { resolve } of group) resolve('first use')
    } catch (error) {
      storedAt = Number.NEGATIVE_INFINITY
      doubtful = sealed && { ...sealed, isUnsent: true }
      for (const { reject } of group) reject(sealed ? notRecorded(error) : error)
    }
  }

  const listLines = async (
    group: readonly Waiting<Kind>[],
    deadline: number,
  ): Promise<readonly string[]> => {
    const [{ stated } = {}] = group
    return stated ? [await before(deadline, makeStatement(stated))] : group.map(({ line }) => line)
  }

  /** Without a block, since some tokens were used before. The others, whose uses are recorded now, wait for the next one. */
  const resolveRejected = (
    group: readonly Waiting<Kind>[],
    outcomes: readonly UseOutcome[],
  ): void => {
    const rest = outcomes.values()
    const recorded = group.filter(({ use, resolve }) => {
      const outcome = (use && rest.next().value) ?? 'first use'
      if (outcome !== 'first use') resolve(outcome)
      return outcome === 'first use'
    })
    waiting.unshift(...recorded.map((each) => ({ ...each, use: undefined })))
  }

  const makeStatement = async ({ kind, removed }: Stated): Promise<string> => {
    const { chain, number, hash } = head
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

  const addStatement = (stated: Stated) =>
    add({ line: '', stated, record: undefined, use: undefined })

  const state = async (kind: 'head' | 'end'): Promise<void> => {
    const count = writtenCount
    if (count === signedCount && (kind === 'head' || head.number < 0)) return
    await addStatement({ kind })
    signedCount = count
  }

  const timer = setInterval(() => {
    state('head').catch((cause: unknown) => {
      onError(new Error('the head of the records could not be signed', { cause }))
    })
  }, headMs)
  timer.unref()

  return {
    async record(record) {
      await add({ line: formatLine({ kind: 'disclosure', ...record }), record, use: undefined })
    },
    recordWithUse: (record, use) =>
      add({ line: formatLine({ kind: 'disclosure', ...record }), record, use }),
    async stateRemoval(removed) {
      await addStatement({ kind: 'removal', removed })
    },
    async test() {
      if (performance.now() - storedAt < recentMs) return
      // What the next record needs.
      if (doubtful) await store.append(doubtful.block, doubtful.records, doubtful.isUnsent)
      else await store.test()
      if (head.number < 0) await requireKey(signingKeys)
    },
    async close() {
      clearInterval(timer)
      await writing
      await state('end').catch(() => {})
      isClosed = true
    },
  }
}

const makeChainId = (): string => randomBytes(chainBytes).toString('base64url')

/** Rejects at the time of `performance.now()`, if the work goes on that long. */
function before<Result>(deadline: number, work: Promise<Result>): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const end = () => reject(new Error('the database does not respond'))
  // A timer of the promises API is aborted with an error, whose stack trace takes longer than all else here.
  const timer = setTimeout(end, Math.max(0, deadline - performance.now()))
  work.then(resolve, reject).finally(() => clearTimeout(timer))
  return promise
}

function notRecorded(cause?: unknown): ContractError {
  return new ContractError('unavailable', 'the disclosure could not be recorded', { cause })
}
