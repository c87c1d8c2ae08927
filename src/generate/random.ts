/** A stream of chance that its seed decides: the same seed, the same stream, on any machine. */
export interface Random {
  /** At least 0, less than 1. */
  unit(): number
  /** A whole number; both bounds can come up. */
  whole(least: number, most: number): number
  chance(probability: number): boolean
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T
  /** As many digits, the first of them not zero. */
  digits(count: number): string
}

/** The parts name what is decided, so that no two things share a stream. */
export function randomFrom(...parts: readonly (string | number)[]): Random {
  const next = stream(parts.join('\n'))
  const unit = () => next() / 2 ** 32
  const whole = (least: number, most: number) => least + Math.floor(unit() * (most - least + 1))
  return {
    unit,
    whole,
    chance: (probability) => unit() < probability,
    pick: <T>(list: readonly T[]) => list[Math.floor(unit() * list.length)] as T,
    digits: (count) => String(whole(10 ** (count - 1), 10 ** count - 1)),
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
  // Seeds that differ in one character need some steps to part.
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
