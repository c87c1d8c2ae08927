import { randomBytes } from 'node:crypto'
import type { SharedData } from './budget.ts'
import type { KeyPair } from './proofs.ts'
import type { Call, Phase, RecordedCall } from './timeline.ts'

/** The newest sessions are kept. */
const sessionsMax = 100
/** Of one session. Later calls replace the oldest. */
export const callsMax = 300
const keysMax = 50

/** What must be remembered until the customer returns. */
export interface Flow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly proofKey: KeyPair
}

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly expires: number
  readonly proofKey: KeyPair
  readonly arrangementId: string
  /** The customer, by the ID token. */
  readonly subject: string
}

/** What Example Budget keeps of a browser, in memory. */
export interface Session {
  readonly id: string
  readonly calls: RecordedCall[]
  phase: Phase
  /** A consent that has begun and not ended. */
  flow?: Flow | undefined
  tokens?: Tokens | undefined
  data?: SharedData | undefined
  /** What happened last, if it is not what the customer expects. */
  notice?: { readonly title: string; readonly text: string } | undefined
  /** Whether the last call for data was refused. */
  isRefused: boolean
}

export type Sessions = ReturnType<typeof openSessions>

export function openSessions(max = sessionsMax) {
  const sessions = new Map<string, Session>()
  const linked = new Map<string, Session>()
  const unlinkAll = (session: Session, kept: number) => {
    const keys = [...linked].filter(([, other]) => other === session).map(([key]) => key)
    for (const key of keys.slice(0, Math.max(0, keys.length - kept))) linked.delete(key)
  }
  const remove = (id: string) => {
    const session = sessions.get(id)
    if (session) unlinkAll(session, 0)
    sessions.delete(id)
  }
  return {
    create(): Session {
      const id = randomBytes(32).toString('base64url')
      const session: Session = { id, calls: [], phase: 'request', isRefused: false }
      const [oldest] = sessions.keys()
      if (sessions.size >= max && oldest !== undefined) remove(oldest)
      sessions.set(id, session)
      return session
    },
    find: (id: string | undefined) => (id === undefined ? undefined : sessions.get(id)),
    remove,
    record(session: Session, call: Call): void {
      session.calls.push({ ...call, phase: session.phase })
      if (session.calls.length > callsMax) session.calls.shift()
    },
    /** Associates a value that calls have in common with the session, so that other parties' calls are found. */
    link(key: string, session: Session): void {
      linked.set(key, session)
      unlinkAll(session, keysMax)
    },
    unlink: (key: string) => void linked.delete(key),
    findByKey: (key: string | undefined) => (key === undefined ? undefined : linked.get(key)),
  }
}
