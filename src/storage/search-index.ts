/**
 * The search index of a long list of transactions, so that a filter reads only entries that can match. A block of consecutive
 * entries has the sorted codes of their amounts, and for each group of entries a bit for every hash of three consecutive
 * characters in their texts. The layout is stored: a change requires a migration.
 */

/** The last block of a list may have fewer, a multiple of `chunkEntries`. Newer entries are not indexed. */
export const blockEntries = 4096

/** A shorter list has no index. */
export const chunkEntries = 256

export const groupEntries = 8

/** The bits of one hash, one for each group, are a slice. Three characters have two hashes. */
export const sliceCount = 768

/** Bits are stored in words. */
export const wordBits = 32

/** What is indexed of an entry, as stored: the key of its amount, and its case-folded texts. */
export type IndexedEntry = readonly [
  amount: string | null,
  description: string | null,
  reference: string | null,
]

/** The index of a block, as it can be changed. */
export interface BlockIndex {
  /** The code of each entry. */
  readonly amounts: Int32Array
  /** Slice after slice, as words of bits. */
  readonly texts: Uint32Array
}

/** The index of a block as it is stored. */
interface StoredIndex {
  /** Ascending codes. */
  readonly amounts: Int32Array
  /** The index in the block of the entry with each of these codes. */
  readonly places: Uint16Array
  readonly texts: Uint32Array
}

/** An index of the first entries of a block, with what `from` has of them. */
export function createIndex(entries: number, from?: BlockIndex): BlockIndex {
  const amounts = new Int32Array(entries)
  const words = countWords(entries)
  const texts = new Uint32Array(sliceCount * words)
  if (from) {
    amounts.set(from.amounts.subarray(0, entries))
    const wordsBefore = countWords(from.amounts.length)
    const copied = Math.min(words, wordsBefore)
    for (let slice = 0; slice < sliceCount; slice += 1) {
      const start = slice * wordsBefore
      texts.set(from.texts.subarray(start, start + copied), slice * words)
    }
  }
  return { amounts, texts }
}

export function fromStored({ amounts, places, texts }: StoredIndex): BlockIndex {
  const codes = new Int32Array(amounts.length)
  for (let at = 0; at < amounts.length; at += 1) codes[places[at] ?? 0] = amounts[at] ?? 0
  return { amounts: codes, texts }
}

export function toStored({ amounts, texts }: BlockIndex): StoredIndex {
  return { ...sortAmounts(amounts), texts }
}

/** The codes of at most `blockEntries` entries in ascending order, with the index of each. */
export function sortAmounts(amounts: Int32Array): Omit<StoredIndex, 'texts'> {
  const keys = new Float64Array(amounts.length)
  for (let at = 0; at < keys.length; at += 1) keys[at] = (amounts[at] ?? 0) * blockEntries + at
  keys.sort()
  const sorted = new Int32Array(keys.length)
  const places = new Uint16Array(keys.length)
  for (let at = 0; at < keys.length; at += 1) {
    const code = Math.floor((keys[at] ?? 0) / blockEntries)
    sorted[at] = code
    places[at] = (keys[at] ?? 0) - code * blockEntries
  }
  return { amounts: sorted, places }
}

/** Prepares a group, by the index of its first entry, for the entries that it has now. */
export function clearGroup({ amounts, texts }: BlockIndex, index: number): void {
  const group = Math.floor(index / groupEntries)
  const words = countWords(amounts.length)
  const kept = ~(1 << (group % wordBits))
  for (let word = Math.floor(group / wordBits); word < texts.length; word += words) {
    texts[word] = (texts[word] ?? 0) & kept
  }
}

export function addEntry(
  { amounts, texts }: BlockIndex,
  index: number,
  [amount, description, reference]: IndexedEntry,
): void {
  amounts[index] = amount === null ? noAmount : amountCode(amount)
  const group = Math.floor(index / groupEntries)
  const words = countWords(amounts.length)
  const word = Math.floor(group / wordBits)
  const bit = 1 << (group % wordBits)
  if (description !== null) addText(texts, description, words, word, bit)
  if (reference !== null) addText(texts, reference, words, word, bit)
}

/** The group of an entry may contain any text. */
export function addAnyText({ amounts, texts }: BlockIndex, index: number): void {
  const group = Math.floor(index / groupEntries)
  const words = countWords(amounts.length)
  const bit = 1 << (group % wordBits)
  for (let word = Math.floor(group / wordBits); word < texts.length; word += words) {
    setBit(texts, word, bit)
  }
}

function addText(texts: Uint32Array, text: string, words: number, word: number, bit: number): void {
  let first = text.charCodeAt(0)
  let second = text.charCodeAt(1)
  for (let at = 2; at < text.length; at += 1) {
    const third = text.charCodeAt(at)
    const mixed = mix(first, second, third)
    setBit(texts, firstSlice(mixed) * words + word, bit)
    setBit(texts, secondSlice(mixed) * words + word, bit)
    first = second
    second = third
  }
}

function setBit(words: Uint32Array, word: number, bit: number): void {
  words[word] = (words[word] ?? 0) | bit
}

/** The slices that have a bit for every group with the text. None for a text of one or two characters. */
export function textSlices(text: string): number[] {
  // As it would be stored.
  const stored = text.toWellFormed()
  const slices = new Set<number>()
  for (let at = 2; at < stored.length; at += 1) {
    const codes = [at - 2, at - 1, at].map((index) => stored.charCodeAt(index))
    const mixed = mix(...(codes as [number, number, number]))
    slices.add(firstSlice(mixed)).add(secondSlice(mixed))
  }
  return [...slices]
}

/** The slices with the fewest bits in a block, which exclude the most groups of similar blocks. */
export function sparsestSlices(
  slices: readonly number[],
  texts: Uint32Array,
  count: number,
): number[] {
  const words = texts.length / sliceCount
  const countBits = (slice: number) =>
    texts
      .subarray(slice * words, (slice + 1) * words)
      .reduce((sum, word) => sum + bitCount(word), 0)
  return slices
    .map((slice) => ({ slice, bits: countBits(slice) }))
    .sort((one, other) => one.bits - other.bits)
    .slice(0, count)
    .map(({ slice }) => slice)
}

function bitCount(word: number): number {
  let count = 0
  for (let rest = word; rest !== 0; rest &= rest - 1) count += 1
  return count
}

function mix(first: number, second: number, third: number): number {
  const mixed =
    Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(third, 0xc2b2ae35)
  const product = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  return product ^ (product >>> 13)
}

function firstSlice(mixed: number): number {
  return ((mixed >>> 16) * sliceCount) >>> 16
}

function secondSlice(mixed: number): number {
  return ((mixed & 0xffff) * sliceCount) >>> 16
}

/** The words of a slice. */
export function countWords(entries: number): number {
  return entries / groupEntries / wordBits
}

/** Codes below and above those of all amounts. */
export const amountCodeMin = -(2 ** 31 - 2)
export const amountCodeMax = 2 ** 31 - 2

/** Of an entry without an amount. */
const noAmount = -(2 ** 31)

/** Of amounts beyond the range. */
const codeBeyond = 2 ** 31 - 3
const centsMax = 2 ** 30 - 3
const wholeDigitsMax = 8

/**
 * A code that sorts like the amount of a key: twice the cents. Amounts between two cents, and amounts beyond the range,
 * share an odd code.
 */
export function amountCode(key: string): number {
  const isNegative = key.charCodeAt(0) === zero
  const digit = (at: number): number => {
    const value = key.charCodeAt(at) - zero
    return isNegative ? 9 - value : value
  }
  const end = isNegative ? key.length - 1 : key.length
  const wholeEnd = 3 + digit(1) * 10 + digit(2)
  if (wholeEnd > 3 + wholeDigitsMax) return isNegative ? -codeBeyond : codeBeyond
  let cents = 0
  for (let at = 3; at < wholeEnd + 2; at += 1) cents = cents * 10 + (at < end ? digit(at) : 0)
  if (cents > centsMax) return isNegative ? -codeBeyond : codeBeyond
  const code = 2 * cents + (end > wholeEnd + 2 ? 1 : 0)
  return isNegative ? -code : code
}

/** Whether several amounts have this code. */
export function isSharedCode(code: number): boolean {
  return code % 2 !== 0
}

const zero = 0x30
