/** Works on JSON text without re-serialising it, so that a record is served byte for byte. The text must be valid JSON. */

/** A member of an object, with the offsets of the member and of its value. */
export interface Member {
  readonly name: string
  readonly start: number
  readonly valueStart: number
  readonly end: number
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** Whether objects and lists are nested deeper than a number of levels. The text may be invalid. */
export function isNestedDeeper(text: string, levels: number): boolean {
  // Most texts have fewer objects and lists than levels are allowed. Counting them is faster than the scan.
  const objects = countUpTo(text, '{', levels + 1)
  if (objects + countUpTo(text, '[', levels + 1) <= levels) return false
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) isInString = !isInString
    else if (isInString) at += code === backslash ? 1 : 0
    else if (code === openBrace || code === openBracket) {
      depth += 1
      if (depth > levels) return true
    } else if (code === closeBrace || code === closeBracket) depth -= 1
  }
  return false
}

function countUpTo(text: string, character: string, max: number): number {
  let count = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
    count += 1
    if (count === max) break
  }
  return count
}

/** Returns the members of the object in order. */
export function parseMembers(text: string): Member[] {
  const members: Member[] = []
  let at = skipBlanks(text, skipBlanks(text, 0) + 1)
  while (text.charCodeAt(at) === quote) {
    const start = at
    const nameEnd = stringEnd(text, at)
    const name: string = JSON.parse(text.slice(start, nameEnd))
    const valueStart = skipBlanks(text, skipBlanks(text, nameEnd) + 1)
    const end = valueEnd(text, valueStart)
    members.push({ name, start, valueStart, end })
    at = skipBlanks(text, end)
    if (text.charCodeAt(at) === comma) at = skipBlanks(text, at + 1)
  }
  return members
}

/** Removes members from the text of an object. */
export function removeMembers(text: string, names: readonly string[]): string {
  const kept = parseMembers(text).filter(({ name }) => !names.includes(name))
  return `{${kept.map(({ start, end }) => text.slice(start, end)).join(',')}}`
}

/** Finds a duplicate member name in any object of the text: JSON parsers disagree on its value. */
export function findRepeatedMember(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === openBrace) open.push(new Set())
    else if (code === openBracket) open.push(undefined)
    else if (code === closeBrace || code === closeBracket) open.pop()
    else if (code === quote) {
      const end = stringEnd(text, at)
      const names = open.at(-1)
      if (names && text.charCodeAt(skipBlanks(text, end)) === colon) {
        const name: string = JSON.parse(text.slice(at, end))
        if (names.has(name)) return name
        names.add(name)
      }
      at = end - 1
    }
  }
  return undefined
}

function skipBlanks(text: string, at: number): number {
  let next = at
  while (text.charCodeAt(next) <= 0x20) next += 1
  return next
}

/** The offset after the closing quote of the string that starts here. */
function stringEnd(text: string, start: number): number {
  let at = start + 1
  while (text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at + 1
}

function valueEnd(text: string, start: number): number {
  let depth = 0
  let at = start
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = stringEnd(text, at)
      if (depth === 0) return at
      continue
    }
    if (code === openBrace || code === openBracket) depth += 1
    else if (code === closeBrace || code === closeBracket) {
      if (depth === 0) return at
      depth -= 1
      if (depth === 0) return at + 1
    } else if (depth === 0 && (code === comma || code <= 0x20)) return at
    at += 1
  }
}
