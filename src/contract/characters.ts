/** The length of a text as people count it: a character that takes two places counts once. */
export function countCharacters(text: string): number {
  return /[\ud800-\udfff]/.test(text) ? [...text].length : text.length
}

/**
 * Control, bidirectional, zero-width and other characters without a shape of their own, and halves of surrogate pairs.
 * In a terminal they move the cursor, reorder what is read, or make two different texts look the same.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Text from outside as it may be shown to people: an invisible character becomes its code, as in `\u202e`. That is how
 * JSON writes it, so what was JSON still is, and means the same.
 */
export function escapeInvisible(text: string): string {
  return text.replaceAll(invisible, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** The same for text of several lines, which keeps its line breaks and tabs. */
export function escapeInvisibleInLines(text: string): string {
  return text.replaceAll(/[^\n\t]+/g, escapeInvisible)
}
