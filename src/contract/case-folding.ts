/**
 * Folds a text for case-insensitive comparison. Lower case and then upper case: lower case alone keeps the
 * two lower-case sigmas distinct, upper case alone some capital letters without a lower-case pair.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase()
}
