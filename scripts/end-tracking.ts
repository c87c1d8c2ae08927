import hooks from 'node:async_hooks'

/**
 * The test runner tracks every promise to name the test that an uncaught error belongs to, which makes tests slower.
 * To be imported before the test runner. An uncaught error still fails the run; `node --test FILE` names its test. Suites must be
 * declared before the first test starts.
 */
const { createHook } = hooks
Object.assign(hooks, {
  createHook: (callbacks: hooks.HookCallbacks) =>
    createHook({ ...callbacks, trackPromises: false }),
})
