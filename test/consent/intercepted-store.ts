import type { ConsentStore } from '../../src/platform/consent/store.ts'
import { openConsentStore } from '../../src/storage/open.ts'

/** Is called instead of a call of the store, which it can make. */
export type Interceptor = (
  make: () => Promise<unknown>,
  args: readonly unknown[],
) => Promise<unknown>

type Method = (...args: unknown[]) => Promise<unknown>

/** A store of a process whose calls a test can delay or fail, each named such as `artifacts.consume`. */
export function openInterceptedStore() {
  const interceptors = new Map<string, Interceptor>()
  const around = <Part extends object>(part: Part, path: string): Part =>
    new Proxy(part, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver)
        if (typeof value === 'object' && value !== null) return around(value, `${String(name)}.`)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          const make = () => (value as Method).apply(target, args)
          return interceptors.get(path + String(name))?.(make, args) ?? make()
        }
      },
    })
  return {
    openStore: async (database: string): Promise<ConsentStore> =>
      around(await openConsentStore(database), ''),
    /** Replaces an earlier interceptor of the call. */
    intercept: (call: string, interceptor: Interceptor) => void interceptors.set(call, interceptor),
    /** Makes all calls again. */
    restore: () => interceptors.clear(),
  }
}
