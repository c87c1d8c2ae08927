import { type Block, emptyChain, type Head, hashBlock } from './block.ts'
import { parseLines } from './record.ts'
import type { Statement, VerifyStatement } from './statement.ts'
import type { DisclosureRecordStore } from './store.ts'

const pageSize = 500

/** Why a block is not what was written, or is missing. */
export type Fault =
  | 'its hash does not match its content'
  | 'it does not follow the block before it'
  | 'the blocks before it are missing'
  | 'its signature is invalid'
  | 'it is missing'
  | 'it differs from the signed one'
  | 'it follows the end of the chain'

export interface BrokenBlock extends Pick<Head, 'chain' | 'number'> {
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
  const first = new Map<string, Block>()
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
    const chain = chains.getOrInsertComputed(block.chain, () => {
      first.set(block.chain, block)
      return { last: emptyChain(block.chain), isBroken: false, hasEnded: false }
    })
    const { last, hasEnded } = chain
    const isFirst = first.get(block.chain) === block
    if (hashBlock(block) !== block.hash) report(block, 'its hash does not match its content')
    else if (!isFirst && block.number !== last.number + 1)
      report({ chain: block.chain, number: last.number + 1 }, 'it is missing')
    else if (!isFirst && block.previous !== last.hash)
      report(block, 'it does not follow the block before it')
    else if (hasEnded) report(block, 'it follows the end of the chain')
    chain.last = { chain: block.chain, number: block.number, hash: block.hash }
    // A changed block may contain anything.
    if (chain.isBroken) return
    for (const line of parseLines(block)) {
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

  for (const each of anchors) name(named, each)
  let after: Block | undefined
  for (;;) {
    const page = await store.walk(after, pageSize)
    for (const block of page) await readBlock(block)
    onProgress(blocks)
    after = page.at(-1)
    if (page.length < pageSize) break
  }
  // What was added meanwhile.
  for (const [id, chain] of chains) {
    for (let later: Block | undefined; ; ) {
      ;[later] = await store.walk(chain.last, 1)
      if (later?.chain !== id) break
      await readBlock(later)
    }
  }
  for (const block of first.values()) {
    if (block.number === 0 && block.previous === '') continue
    const { number, hash } = removed.get(block.chain) ?? emptyChain(block.chain)
    // A removal may have been stated again since.
    if (number < block.number - 1 || (number === block.number - 1 && hash !== block.previous))
      report(block, 'the blocks before it are missing')
  }
  for (const head of named.values()) {
    if ((removed.get(head.chain)?.number ?? -1) >= head.number) continue
    const found = await store.find(head.chain, head.number)
    if (!found) report(head, 'it is missing')
    else if (found.hash !== head.hash) report(found, 'it differs from the signed one')
  }
  const open = [...chains.values()].filter(({ hasEnded }) => !hasEnded).map(({ last }) => last)
  return { chains: chains.size, blocks, records, unsent, open, broken }
}

function countRecords(block: Block | undefined): number {
  return block ? parseLines(block).filter(({ kind }) => kind === 'disclosure').length : 0
}
