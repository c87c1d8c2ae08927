import { Worker } from 'node:worker_threads'
import type { CheckOptions } from '../../check/check.ts'
import type { CheckProgress } from '../../contract/index.ts'

/** What a thread checks. It is copied to the thread. */
export interface Job {
  readonly options: Omit<CheckOptions, 'testKeys' | 'onStart' | 'onProgress'>
  /** The private JWK of the platform, with `kid` and `alg`. */
  readonly key: Readonly<Record<string, unknown>>
}

/** What a thread sends. */
export type Message = { readonly progress: CheckProgress } | { readonly report: string }

/** A provider can answer with many large bodies, which must not use up the memory of the server. */
const memoryMbMax = 512

/** The published program has the thread as a file of its own, beside the others. */
const file = import.meta.url.endsWith('.ts') ? './check-thread.ts' : './check-thread.js'

/**
 * Runs the checks in a thread: loading them, and reading large answers of a provider, would block the requests of the
 * platform.
 */
export function startThread(job: Job, onProgress: (progress: CheckProgress) => void) {
  const worker = new Worker(new URL(file, import.meta.url), {
    name: 'check',
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: memoryMbMax },
  })
  const report = new Promise<string>((resolve, reject) => {
    worker.on('message', (message: Message) => {
      if ('report' in message) resolve(message.report)
      else onProgress(message.progress)
    })
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('the thread ended without a report')))
  })
  return {
    /** A `CheckReport` as JSON. */
    report,
    async stop(): Promise<void> {
      await worker.terminate()
    },
  }
}
