import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { ContractError } from '../../contract/index.ts'
import { type ClaimStore, clockSkewSeconds } from '../../provider/claims.ts'
import { type Claim, openClaimsFile } from './claims-file.ts'
import { isBusy } from './told.ts'

/** As often as this, some of those that are too old to matter are forgotten. */
const forgetEveryMs = 200

/** How many claims are written before others are served again. */
const groupMax = 1000

/** How long a claim waits for a file that another process holds, and how long between two tries. */
const busyMaxMs = 5000
const busyRetryMs = 5

/** More than these do not wait: the disk is not fast enough. */
const waitingMax = 10_000

interface Waiting {
  readonly claim: Claim
  readonly since: number
  readonly resolve: (won: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Claims in a file of their own, so that a long load never holds up a request. Those that arrive together
 * are committed together: one wait for the disk serves them all.
 */
export function openSqliteClaimStore(path: string, clock: () => Temporal.Instant): ClaimStore {
  const file = openClaimsFile(path)
  const waiting: Waiting[] = []
  let writing: Promise<void> | undefined

  const write = async (): Promise<void> => {
    await nextTurn()
    while (waiting.length > 0) {
      const group = waiting.splice(0, groupMax)
      try {
        const won = file.claim(group.map(({ claim }) => claim))
        for (const [index, { resolve }] of group.entries()) resolve(won[index] ?? false)
        if (waiting.length > 0) await nextTurn()
      } catch (error) {
        const now = performance.now()
        const isPatient = ({ since }: Waiting) => isBusy(error) && now - since < busyMaxMs
        waiting.unshift(...group.filter(isPatient))
        for (const each of group) if (!isPatient(each)) each.reject(error)
        if (waiting.length > 0) await wait(busyRetryMs)
      }
    }
    writing = undefined
  }
  const timer = setInterval(() => {
    try {
      file.forget(Math.floor(clock().epochMilliseconds / 1000) - clockSkewSeconds)
    } catch {
      // What is kept too long does no harm, and the next time is soon.
    }
  }, forgetEveryMs)
  timer.unref()

  return {
    claim(tokenId, keptUntil) {
      if (waiting.length >= waitingMax) return Promise.reject(new ContractError('unavailable'))
      return new Promise((resolve, reject) => {
        const claim = { tokenId, keptUntil }
        waiting.push({ claim, since: performance.now(), resolve, reject })
        writing ??= write()
      })
    },
    async close() {
      clearInterval(timer)
      await writing
      file.close()
    },
  }
}
