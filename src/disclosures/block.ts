import { createHash } from 'node:crypto'

/**
 * Records that were committed together. Each process has a chain of its own, in which each block has the hash of the
 * previous one: a changed, inserted or removed block does not match its successors.
 */
export interface Block {
  readonly chain: string
  /** From 0 on. */
  readonly number: number
  /** When it was made. */
  readonly time: Temporal.Instant
  /** The hash of the previous block; empty in the first one. */
  readonly previous: string
  /** At least one, with line breaks between them. */
  readonly lines: string
  readonly hash: string
}

export interface ListedBlock extends Block {
  /** False if the block after it says that the answers with its records were not sent. */
  readonly isSent: boolean
}

/** The last block of a chain. */
export interface Head {
  readonly chain: string
  readonly number: number
  readonly hash: string
}

/** The block before the first one. */
export function emptyChain(chain: string): Head {
  return { chain, number: -1, hash: '' }
}

export function sealBlock(
  { chain, number, hash }: Head,
  lines: readonly string[],
  time: Temporal.Instant,
): Block {
  const content = { chain, number: number + 1, time, previous: hash, lines: lines.join('\n') }
  return { ...content, hash: hashBlock(content) }
}

/** False if the block was changed. Of one that was changed together with its hash, the next block has another hash. */
export function hasOwnHash(block: Block): boolean {
  return hashBlock(block) === block.hash
}

function hashBlock({ chain, number, time, previous, lines }: Omit<Block, 'hash'>): string {
  const header = `${chain} ${number} ${time.epochMilliseconds} ${previous}\n`
  return createHash('sha256').update(header).update(lines).digest('base64url')
}
