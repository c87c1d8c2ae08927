import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from './api.ts'
import { signIns } from './session.ts'

/** What a view has read from the server. A value that could not be read again stays, with the time it was last read. */
export interface Resource<Value> {
  readonly value: Value | undefined
  readonly error: ApiError | undefined
  readonly isLoading: boolean
  /** When `value` was read, in milliseconds since 1970. */
  readonly readAt: number | undefined
  reload(): void
}

interface State<Value> {
  readonly key: string
  readonly value?: Value
  readonly error?: ApiError | undefined
  readonly readAt?: number
  readonly isLoading: boolean
}

/** After a failure that may pass by itself. */
const retryMs = 4000

interface Options<Value> {
  /** How many milliseconds after a value was read it is read again. */
  readonly refreshMs?: (value: Value) => number | undefined
  /** Shows the value of another key until that of the current key is read. */
  readonly keepValue?: boolean
}

/**
 * Reads a value when the view is shown and when `key` changes. `load` must pass the signal to its request, so that an
 * outdated response is never shown.
 */
export function useResource<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  { refreshMs, keepValue = false }: Options<Value> = {},
): Resource<Value> {
  const [state, setState] = useState<State<Value>>({ key, isLoading: true })
  const [turn, setTurn] = useState(0)
  const latest = useRef(load)
  latest.current = load
  const signedIn = signIns.value

  useEffect(() => {
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = (ms: number) => {
      timer = setTimeout(() => setTurn((count) => count + 1), ms)
    }
    setState((old) =>
      old.key === key || keepValue ? { ...old, key, isLoading: true } : { key, isLoading: true },
    )
    latest.current(controller.signal).then(
      (value) => {
        if (controller.signal.aborted) return
        setState({ key, value, readAt: Date.now(), isLoading: false })
        const ms = refreshMs?.(value)
        if (ms !== undefined) again(ms)
      },
      (thrown: unknown) => {
        if (controller.signal.aborted) return
        const error =
          thrown instanceof ApiError
            ? thrown
            : new ApiError(0, 'The page could not use the response.')
        setState((old) => ({ ...old, error, isLoading: false }))
        if (error.status === 0 || error.status === 503) again(retryMs)
      },
    )
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [key, turn, signedIn, keepValue])

  const isCurrent = state.key === key || keepValue
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: state.isLoading || !isCurrent,
    readAt: isCurrent ? state.readAt : undefined,
    reload: () => setTurn((count) => count + 1),
  }
}
