import hooks from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'

/**
 * The test runner tracks asynchronous resources to find the suite of a declaration and the test of an uncaught error. This
 * module, imported before the runner, ends the tracking with the first test, because it makes tests slower. An uncaught
 * error still fails the run; `node --test FILE` names its test. Suites must be declared before the first test starts.
 */
const { createHook } = hooks
Object.assign(hooks, {
  createHook(callbacks: hooks.HookCallbacks) {
    const hook = createHook({ ...callbacks, trackPromises: false })
    subscribe('tracing:node.test:start', (started) => {
      if ((started as { readonly type: string }).type === 'test') hook.disable()
    })
    return hook
  },
})
