/** Calls `read` once for all concurrent calls, and not again for this time after it succeeded. */
export function reuseResult<Result>(
  read: () => Promise<Result>,
  reuseMs = 0,
): () => Promise<Result> {
  let last: { readonly result: Result; readonly at: number } | undefined
  let pending: Promise<Result> | undefined
  const readOnce = async (): Promise<Result> => {
    try {
      const result = await read()
      last = { result, at: performance.now() }
      return result
    } finally {
      pending = undefined
    }
  }
  return async () => {
    if (last && performance.now() - last.at < reuseMs) return last.result
    pending ??= readOnce()
    return pending
  }
}
