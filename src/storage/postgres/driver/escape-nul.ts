/**
 * A text of PostgreSQL cannot hold U+0000. It and the three characters above it are written as three
 * characters, which no other text is written with: texts stay different, keep their order by bytes, and
 * one is a part of another exactly where it was before.
 */
const written = [
  '\u0001\u0002\u0002',
  '\u0001\u0002\u0003',
  '\u0001\u0003\u0002',
  '\u0001\u0003\u0003',
]

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
const special = /[\u0000-\u0003]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const code = /\u0001[\u0002\u0003]{2}/g

export function toText(text: string): string {
  return text.replace(special, (character) => written[character.charCodeAt(0)] ?? character)
}

export function fromText(text: string): string {
  return text.replace(code, (three) => String.fromCharCode(written.indexOf(three)))
}
