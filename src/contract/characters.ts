/** The length of a text as people count it: a character that takes two places counts once. */
export function charactersIn(text: string): number {
  return /[\ud800-\udfff]/.test(text) ? [...text].length : text.length
}
