import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// These functions are called when the code is loaded: the compile cache is valid only for the flags with which it was
// written, and so are the compiled modules of Node.

/** For a server, once its code is loaded. */
export function adaptToRequests(): void {
  disablePretenuring()
  // By default, every 64 MB of buffers start a full collection, which is half of the CPU time of large pages. Counted in
  // the limit of the heap, they start one of the young generation, where almost all of them are.
  setFlagsFromString('--external-memory-accounted-in-global-limit')
  // By default, a full collection may start when the heap has grown by two megabytes, since it takes little of the CPU
  // time. Each one delays the requests of that moment by 10 to 20 ms: it determines the p99 of a server at half load.
  setFlagsFromString('--heap-growing-percent=100')
}

/**
 * Pretenuring would allocate short-lived objects of requests in the old generation, where everything that they refer to
 * stays until a full collection: 4 KB per request.
 */
export function disablePretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/** For a load, which produces short-lived garbage at a constant rate: a larger young generation would only use more memory. */
export function limitYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** After so many bytes of large bodies, their buffers are released. */
const releasedBytes = 16 * 1024 * 1024

/**
 * Returns a function that counts the bytes of large bodies that were received, and collects the young generation after
 * many: their buffers are soon unused, and V8 by itself keeps more of them. 50 connections with 1000 records per page
 * would use 70 MB more.
 */
export function openBufferRelease(): (bytes: number) => void {
  let collect: CollectGarbage | undefined
  let bytesSince = 0
  return (bytes) => {
    bytesSince += bytes
    if (bytesSince < releasedBytes) return
    bytesSince = 0
    collect ??= exposeCollection()
    collect({ type: 'minor' })
  }
}

type CollectGarbage = (options: { readonly type: 'minor' }) => void

/** Not at the start: the flag would invalidate the compile cache. */
function exposeCollection(): CollectGarbage {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}
