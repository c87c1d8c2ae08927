import { type Block, emptyChain, type Head, hasOwnHash } from './block.ts'
import { type Line, parseLines } from './record.ts'
import type { Statement, VerifyStatement } from './statement.ts'
import type { DisclosureRecordStore } from './store.ts'

const pageSize = 100

/** Why a block is not what was written, or is missing. */
export type Fault =
  | 'its hash does not match its content'
  | 'its content is invalid'
  | 'the chain has no signed start'
  | 'it does not follow the block before it'
  | 'the blocks before it are missing'
  | 'its signature is invalid'
  | 'it is missing'
  | 'it differs from the signed one'
  | 'it follows the end of the chain'

interface BrokenBlock extends Pick<Head, 'chain' | 'number'> {
  readonly fault: Fault
}

export interface Verification {
  readonly chains: number
  readonly blocks: number
  readonly records: number
  /** Answers that were recorded, and not sent. */
  readonly unsent: number
  /** Chains without a signed end: their process runs, or was killed. */
  readonly open: readonly Head[]
  /** The first one of each chain. */
  readonly broken: readonly BrokenBlock[]
}

/** What is known of a chain after its last block was read. */
interface Chain {
  /** The first one of its blocks that is not removed. */
  first: Pick<Block, 'number' | 'previous'>
  last: Head
  isBroken: boolean
  hasEnded: boolean
}

/**
 * Reads all blocks once, in order. `anchors` are heads that were kept elsewhere. In memory are only the chains, of which each
 * start of a process makes one.
 */
export async function verifyRecords(
  store: Pick<DisclosureRecordStore, 'walk' | 'find'>,
  verifyStatement: VerifyStatement,
  anchors: readonly Head[],
  onProgress: (blocks: number) => void,
): Promise<Verification> {
  const chains = new Map<string, Chain>()
  const broken: BrokenBlock[] = []
  /** The last block of each chain that a statement or an anchor names. */
  const named = new Map<string, Head>()
  const removed = new Map<string, Head>()
  let [blocks, records, unsent] = [0, 0, 0]

  const report = ({ chain, number }: Pick<Head, 'chain' | 'number'>, fault: Fault): void => {
    const known = chains.get(chain)
    if (known?.isBroken) return
    if (known) known.isBroken = true
    broken.push({ chain, number, fault })
  }
  const name = (map: Map<string, Head>, head: Head): void => {
    if (head.number > (map.get(head.chain)?.number ?? -1)) map.set(head.chain, head)
  }
  const readStatement = (block: Block, { kind, head, others = [], ...rest }: Statement): void => {
    // Of another chain, it would prove nothing about this one.
    if (head.chain !== block.chain || head.number >= block.number) {
      report(block, 'its signature is invalid')
      return
    }
    for (const each of [head, ...others]) name(named, each)
    for (const each of rest.removed ?? []) name(removed, each)
    const chain = chains.get(block.chain)
    if (chain && kind === 'end') chain.hasEnded = true
  }
  const readBlock = async (block: Block): Promise<void> => {
    blocks += 1
    const { number, previous } = block
    const chain = chains.getOrInsertComputed(block.chain, () => {
      const first = { number, previous }
      return { first, last: emptyChain(block.chain), isBroken: false, hasEnded: false }
    })
    const { last, hasEnded } = chain
    // The blocks before it may have expired since the last one was read.
    if (last.hash !== '' && number > last.number + 1 && !(await isStored(last)))
      chain.first = { number, previous }
    const isFirst = chain.first.number === number
    const lines = readLines(block)
    if (!hasOwnHash(block)) report(block, 'its hash does not match its content')
    else if (!lines) report(block, 'its content is invalid')
    else if (!isFirst && block.number !== last.number + 1)
      report({ chain: block.chain, number: last.number + 1 }, 'it is missing')
    else if (!isFirst && block.previous !== last.hash)
      report(block, 'it does not follow the block before it')
    else if (hasEnded) report(block, 'it follows the end of the chain')
    // No other statement has a head before this block.
    else if (number === 0 && lines[0]?.kind !== 'statement')
      report(block, 'the chain has no signed start')
    chain.last = { chain: block.chain, number: block.number, hash: block.hash }
    // A changed block may contain anything.
    if (chain.isBroken || !lines) return
    for (const line of lines) {
      if (line.kind === 'disclosure') records += 1
      else if (line.kind === 'unsent')
        unsent += countRecords(await store.find(block.chain, line.block))
      else {
        const statement = await verifyStatement(line.statement)
        if (statement) readStatement(block, statement)
        else report(block, 'its signature is invalid')
      }
    }
  }

  /** What was added to the known chains since they were read. */
  const readAdded = async (): Promise<void> => {
    for (const [id, chain] of chains) {
      for (let later: Block | undefined; ; ) {
        ;[later] = await store.walk(chain.last, 1)
        if (later?.chain !== id) break
        await readBlock(later)
      }
    }
  }
  const isStored = async ({ chain, number }: Head): Promise<boolean> =>
    (await store.find(chain, number)) !== undefined

  for (const each of anchors) name(named, each)
  let after: Block | undefined
  for (;;) {
    const page = await store.walk(after, pageSize)
    for (const block of page) await readBlock(block)
    onProgress(blocks)
    after = page.at(-1)
    if (page.length < pageSize) break
  }
  await readAdded()
  for (const [chain, { first }] of chains) {
    if (first.number === 0 && first.previous === '') continue
    const { number, hash } = removed.get(chain) ?? { number: Number.NEGATIVE_INFINITY, hash: '' }
    // A removal may have been stated again since.
    if (number < first.number - 1 || (number === first.number - 1 && hash !== first.previous))
      report({ chain, number: first.number }, 'the blocks before it are missing')
  }
  const isRemoved = ({ chain, number }: Head): boolean =>
    (removed.get(chain)?.number ?? -1) >= number
  const missing: Head[] = []
  for (const head of named.values()) {
    if (isRemoved(head)) continue
    const found = await store.find(head.chain, head.number)
    if (!found) missing.push(head)
    else if (found.hash !== head.hash) report(found, 'it differs from the signed one')
  }
  // They may have expired since their chains were read.
  if (missing.length > 0) await readAdded()
  for (const head of missing) if (!isRemoved(head)) report(head, 'it is missing')
  // Until a removal is done, the block that it names is there. After it, none before that one may come back.
  for (const head of removed.values()) {
    const last = chains.get(head.chain)?.last
    if (!last) continue
    const found = await store.find(head.chain, head.number)
    if (found ? found.hash !== head.hash : last.number < head.number && (await isStored(last)))
      report(found ?? last, 'it differs from the signed one')
  }
  const open = [...chains.values()].filter(({ hasEnded }) => !hasEnded).map(({ last }) => last)
  return { chains: chains.size, blocks, records, unsent, open, broken }
}

/** Undefined if they are not what a process writes. */
function readLines(block: Block): readonly Line[] | undefined {
  try {
    const lines = parseLines(block)
    return lines.every(isLine) ? lines : undefined
  } catch {
    return undefined
  }
}

function isLine(line: Line): boolean {
  if (line.kind === 'unsent') return Number.isSafeInteger(line.block)
  if (line.kind === 'statement') return typeof line.statement === 'string'
  return line.kind === 'disclosure'
}

function countRecords(block: Block | undefined): number {
  return (block && readLines(block)?.filter(({ kind }) => kind === 'disclosure').length) ?? 0
}
