/** The pause after so many failures in a row: `min` after the first one, twice as long after each further one, at most `max`. */
export function backOff(failures: number, min: number, max: number): number {
  return Math.min(max, min * 2 ** (failures - 1))
}
