import { useState } from 'preact/hooks'
import { ApiError } from './api.ts'

/** Runs a request that a person started, and keeps why it failed until the next one. */
export function useAction() {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const run = async (action: () => Promise<void>): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await action()
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, error, run }
}
