import { parentPort, workerData } from 'node:worker_threads'
import { checkProvider } from '../../check/check.ts'
import { useTrustedKey } from '../../check/test-keys.ts'
import type { CheckProgress } from '../../contract/index.ts'
import { formatReport } from './format-report.ts'
import { noProgress } from './store.ts'
import type { Job, Message } from './thread.ts'

/** The entry point of the thread that `startThread` starts. */
const { options, key } = workerData as Job
const send = (message: Message) => parentPort?.postMessage(message)

const counts = { pass: 'passed', fail: 'failed', skip: 'skipped' } as const

let progress: CheckProgress = noProgress
const report = await checkProvider({
  ...options,
  testKeys: await useTrustedKey(key),
  onStart({ total, title }) {
    progress = { ...progress, total, current: title }
    send({ progress })
  },
  onProgress({ done, result: { judgement } }) {
    const count = counts[judgement]
    progress = { ...progress, done, [count]: progress[count] + 1 }
  },
})
const { current: _, ...last } = progress
send({ progress: last })
send({ report: formatReport(report) })
