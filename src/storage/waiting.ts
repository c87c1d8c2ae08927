/** How long a load waits for another one before it reports that it is waiting. */
const announceAfterMs = 1000

/** Calls `onWait` if the work waits for another load for longer than a moment. */
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
