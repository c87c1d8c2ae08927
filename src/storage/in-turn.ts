/** Runs work in turn: each begins when the one before it has ended, even if that one failed. */
export function openTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return {
    inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
      const result = last.then(work)
      last = result.catch(() => {})
      return result
    },
    /** Resolves when the last one has ended. */
    settle: async (): Promise<unknown> => last,
  }
}
