/** How long a load waits for another one before it reports that it is waiting. */
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
