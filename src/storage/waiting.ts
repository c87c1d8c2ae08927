/** After this long, the user of a load is told that it waits for another one. */
export const announceAfterMs = 1000

/** Announces work that waits for another load, where it takes longer than a moment. */
export async function announceWait<Result>(
  work: Promise<Result>,
  onWait: (() => void) | undefined,
): Promise<Result> {
  const timer = setTimeout(() => onWait?.(), announceAfterMs)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}
