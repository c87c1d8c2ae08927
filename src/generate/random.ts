/** A deterministic random stream: the same seed gives the same values on every machine. */
export interface Random {
  /** At least 0, less than 1. */
  fraction(): number
  /** Both bounds are inclusive. */
  integer(min: number, max: number): number
  chance(probability: number): boolean
  /** Picks an element of a non-empty list. */
  pick<T>(list: readonly T[]): T
  /** A number with this many digits, the first of them not zero. */
  digits(count: number): string
}

/** The parts identify what is generated, so that no two things share a stream. Changing a part changes the data. */
export function createRandom(...parts: readonly (string | number)[]): Random {
  const next = stream(parts.join('\n'))
  const fraction = () => next() / 2 ** 32
  const integer = (min: number, max: number) => min + Math.floor(fraction() * (max - min + 1))
  return {
    fraction,
    integer,
    chance: (probability) => fraction() < probability,
    pick: <T>(list: readonly T[]) => list[Math.floor(fraction() * list.length)] as T,
    digits: (count) => String(integer(10 ** (count - 1), 10 ** count - 1)),
  }
}

/** The generator sfc32: three words of state and a counter, 32 bits a step. */
function stream(seed: string): () => number {
  let a = hash(seed, 1)
  let b = hash(seed, 2)
  let c = hash(seed, 3)
  let counter = 1
  const next = () => {
    const word = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + word) | 0
    return word >>> 0
  }
  // Seeds that differ in one character need some steps to diverge.
  for (let step = 0; step < 12; step += 1) next()
  return next
}

/** FNV-1a over the characters, then mixed until every bit depends on every other. */
function hash(text: string, salt: number): number {
  let word = Math.imul(0x811c9dc5 ^ salt, 0x01000193)
  for (let index = 0; index < text.length; index += 1) {
    word = Math.imul(word ^ text.charCodeAt(index), 0x01000193)
  }
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35)
  return word ^ (word >>> 16)
}
