/** Counts code points: a surrogate pair is one character. */
export function countCharacters(text: string): number {
  return /[\ud800-\udfff]/.test(text) ? [...text].length : text.length
}

/**
 * Control, bidirectional, zero-width and other invisible characters, and lone surrogates. In a terminal they can move
 * the cursor, reorder the text, or make two different texts look the same.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Makes untrusted text safe to display: invisible characters become escapes such as `\u202e`. These are JSON escapes,
 * so JSON text stays valid and keeps its meaning.
 */
export function escapeInvisible(text: string): string {
  return text.replaceAll(invisible, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Escapes invisible characters of a text of several lines, except line breaks and tabs. */
export function escapeInvisibleInLines(text: string): string {
  return text.replaceAll(/[^\n\t]+/g, escapeInvisible)
}
