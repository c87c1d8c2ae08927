/**
 * PostgreSQL text cannot contain U+0000. It and the sequence characters above it are stored as sequences of sequence
 * characters that no other text contains. Equality, byte order and containment of texts are preserved.
 */
const escapes = [
  '\u0001\u0002\u0002',
  '\u0001\u0002\u0003',
  '\u0001\u0003\u0002',
  '\u0001\u0003\u0003',
]

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is about these characters
const special = /[\u0000-\u0003]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const escaped = /\u0001[\u0002\u0003]{2}/g

export function escapeNul(text: string): string {
  return text.replace(special, (character) => escapes[character.charCodeAt(0)] ?? character)
}

export function unescapeNul(text: string): string {
  return text.replace(escaped, (sequence) => String.fromCharCode(escapes.indexOf(sequence)))
}
