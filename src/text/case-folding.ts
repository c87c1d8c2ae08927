/**
 * A text as it is compared where case does not matter. Down and then up: the one alone keeps apart the
 * two small sigmas, the other some capital letters that have no small one of their own.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase()
}
