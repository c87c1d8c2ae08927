import { flowSeconds } from '../../src/contract/consent-flows.ts'
import type { ChangeReason, ConsentStatus } from '../../src/contract/consent-statuses.ts'
import { passcodeSeconds, triesMax } from '../../src/platform/consent/passcodes.ts'
import {
  accessTokenSeconds,
  codeSeconds,
  onceSeconds,
} from '../../src/platform/consent/sharing-duration.ts'
import type { Profile } from '../../src/platform/consent/store.ts'

/** The arrangements of one customer with one third party, as far as users can see them. Times are in seconds. */
export interface State {
  readonly profile: Profile
  now: number
  isRegistered: boolean
  readonly requests: Record<string, Request>
  readonly flows: Record<string, Flow>
  readonly arrangements: Record<string, Arrangement>
  readonly grants: Record<string, Tokens>
}

/** A pushed authorization request, with what the customer will choose. */
interface Request {
  readonly pushed: number
  /** The duration of the sharing. 0 means once. */
  readonly seconds: number
  readonly accounts: readonly number[]
  readonly amended: string | undefined
  isOpened: boolean
  /** The flow in which the customer signed in. */
  flow?: string
}

interface Flow {
  readonly request: string
  readonly opened: number
  tries: number
  step: 'passcode' | 'agreement' | 'returned' | 'over'
  /** Which arrangement its page confirms: another one if the first has ended. */
  confirms: number
  code?: Code
}

interface Code {
  readonly issued: number
  arrangement: string
  isUsed: boolean
  /** Whether it ended with the tokens of the arrangement. */
  isEnded: boolean
}

interface Arrangement {
  status: ConsentStatus
  reason: ChangeReason
  accounts: readonly number[]
  until: number
}

/** The tokens for one code. */
interface Tokens {
  readonly arrangement: string
  readonly hasRefreshToken: boolean
  accessEnds: number
  isEnded: boolean
}

/** `as` names what the action makes. */
export type Action =
  | PushAction
  | { type: 'open'; request: string; as: string }
  | { type: 'exchange'; flow: string; as: string }
  | { type: 'sign in' | 'agree' | 'cancel'; flow: string }
  | { type: 'call' | 'refresh' | 'introspect' | 'revoke'; grant: string }
  | { type: 'stop' | 'end' | 'withdraw'; arrangement: string }
  | { type: 'remove' }
  | { type: 'pass'; seconds: number }

interface PushAction {
  type: 'push'
  seconds: number
  accounts: readonly number[]
  amended: string | undefined
  as: string
}

/** A customer, an operator or the third party sees one of these words, or the accounts of a call. */
export type Outcome = string

/** A request changes the state in steps. Others can come between them, and an outage after each. The last has an outcome. */
export type Step = (state: State) => Outcome | undefined
const requestSeconds = 90
/** How long the response with a code is valid, with the tolerance of the client. */
const responseSeconds = 120 + 30

const isOver = ({ now }: State, start: number, seconds: number) => now >= start + seconds
/** The ID of an arrangement is that of the confirmation that made it. */
const keyOf = (flow: string, confirms: number) => `${flow}.${confirms}`

function end(state: State, key: string, status: ConsentStatus, reason: ChangeReason): boolean {
  const found = state.arrangements[key]
  if (found?.status !== 'active') return false
  Object.assign(found, { status, reason })
  return true
}

function isActive(state: State, key: string): boolean {
  return state.arrangements[key]?.status === 'active'
}

/** Whether the pages of a flow are refused, from now on. */
function hasEnded(state: State, flow: Flow): boolean {
  if (!state.isRegistered || isOver(state, flow.opened, flowSeconds)) flow.step = 'over'
  return flow.step === 'over'
}

/** Whether tokens are valid, apart from the time. */
function areValid(state: State, { isEnded, arrangement }: Tokens): boolean {
  return state.isRegistered && !isEnded && isActive(state, arrangement)
}

/** A request of the third party is authenticated first. */
const authenticate: Step = (state) => (state.isRegistered ? undefined : 'invalid_client')

const steps: { [Type in Action['type']]: (action: Action & { type: Type }) => readonly Step[] } = {
  push: ({ seconds, accounts, amended, as }) => [
    authenticate,
    (state) => {
      if (amended !== undefined && !isActive(state, amended)) return 'invalid_request'
      state.requests[as] = { seconds, accounts, amended, pushed: state.now, isOpened: false }
      return 'pushed'
    },
  ],
  open: ({ request: name, as }) => [
    (state) => {
      const request = state.requests[name] as Request
      const isUsed = state.profile === 'cds' ? request.isOpened : request.flow !== undefined
      if (!state.isRegistered || isUsed || isOver(state, request.pushed, requestSeconds))
        return 'refused'
      request.isOpened = true
      return undefined
    },
    (state) => {
      if (!state.isRegistered) return 'refused'
      state.flows[as] = {
        request: name,
        opened: state.now,
        tries: 0,
        step: 'passcode',
        confirms: 1,
      }
      return 'opened'
    },
  ],
  'sign in': ({ flow: name }) => [
    (state) => {
      const flow = state.flows[name] as Flow
      const request = state.requests[flow.request] as Request
      if (hasEnded(state, flow)) return 'refused'
      if (flow.step === 'agreement') return 'signed in'
      flow.tries += 1
      if (flow.tries > triesMax || isOver(state, flow.opened, passcodeSeconds))
        return 'passcode unusable'
      if (state.profile === 'plain') request.flow ??= name
      if (state.profile === 'cds' || request.flow === name) return undefined
      flow.step = 'over'
      return 'refused'
    },
    (state) => {
      const flow = state.flows[name] as Flow
      const { amended } = state.requests[flow.request] as Request
      const isRejected = amended !== undefined && !isActive(state, amended)
      flow.step = isRejected ? 'over' : 'agreement'
      return isRejected ? 'invalid_request' : 'signed in'
    },
  ],
  agree: ({ flow: name }) => [
    (state) => {
      const flow = state.flows[name] as Flow
      const { seconds, accounts } = state.requests[flow.request] as Request
      if (hasEnded(state, flow)) return 'refused'
      const until = state.now + (seconds || onceSeconds)
      state.arrangements[keyOf(name, flow.confirms)] ??= {
        status: 'active',
        reason: 'customer',
        accounts,
        until,
      }
      return undefined
    },
    (state) => {
      const flow = state.flows[name] as Flow
      const arrangement = keyOf(name, flow.confirms)
      if (!state.isRegistered) {
        end(state, arrangement, 'withdrawn', 'third_party_removed')
        flow.step = 'over'
        return 'refused'
      }
      if (!isActive(state, arrangement)) {
        flow.confirms += 1
        return undefined
      }
      flow.step = 'returned'
      flow.code = { issued: state.now, arrangement, isUsed: false, isEnded: false }
      return 'code'
    },
    () => 'ended',
  ],
  cancel: ({ flow: name }) => [
    (state) => {
      const flow = state.flows[name] as Flow
      if (hasEnded(state, flow)) return 'refused'
      end(state, keyOf(name, flow.confirms), 'withdrawn', 'customer')
      return undefined
    },
    (state) => {
      const flow = state.flows[name] as Flow
      flow.step = 'over'
      return 'access_denied'
    },
  ],
  exchange: ({ flow: name, as }) => [
    (state) => {
      const { code } = state.flows[name] as Flow & Required<Pick<Flow, 'code'>>
      // The client itself rejects a signed response that is too old.
      const isSigned = state.profile === 'cds'
      return isSigned && isOver(state, code.issued, responseSeconds) ? 'invalid_grant' : undefined
    },
    authenticate,
    (state) => {
      const { code, request } = state.flows[name] as Flow & Required<Pick<Flow, 'code'>>
      const { amended } = state.requests[request] as Request
      const isValid = state.isRegistered && !code.isEnded && isActive(state, code.arrangement)
      if (!isValid || isOver(state, code.issued, codeSeconds)) return 'invalid_grant'
      if (code.isUsed) {
        end(state, code.arrangement, 'withdrawn', 'code_replayed')
        return 'invalid_grant'
      }
      if (amended !== undefined && code.arrangement !== amended) amend(state, amended, code)
      return undefined
    },
    (state) => {
      const { code } = state.flows[name] as Flow & Required<Pick<Flow, 'code'>>
      const { until, status } = state.arrangements[code.arrangement] as Arrangement
      if (status !== 'active' || !state.isRegistered) return 'invalid_grant'
      code.isUsed = true
      const flow = state.flows[name] as Flow
      const { seconds } = state.requests[flow.request] as Request
      state.grants[as] = {
        arrangement: code.arrangement,
        hasRefreshToken: (seconds || onceSeconds) > onceSeconds,
        accessEnds: Math.min(state.now + accessTokenSeconds, until),
        isEnded: false,
      }
      return `tokens of ${code.arrangement}`
    },
  ],
  call: ({ grant: name }) => [
    (state) => {
      const { arrangement, accessEnds, isEnded } = state.grants[name] as Tokens
      const isValid =
        state.isRegistered && !isEnded && state.now < accessEnds && isActive(state, arrangement)
      return isValid ? `accounts ${state.arrangements[arrangement]?.accounts}` : 'invalid token'
    },
  ],
  refresh: ({ grant: name }) => [
    authenticate,
    (state) => {
      const grant = state.grants[name] as Tokens
      if (!areValid(state, grant)) return 'invalid_grant'
      const { until = 0 } = state.arrangements[grant.arrangement] ?? {}
      grant.accessEnds = Math.min(state.now + accessTokenSeconds, until)
      return 'refreshed'
    },
  ],
  introspect: ({ grant: name }) => [
    authenticate,
    (state) => (areValid(state, state.grants[name] as Tokens) ? 'active' : 'inactive'),
  ],
  revoke: ({ grant: name }) => [
    authenticate,
    (state) => {
      const grant = state.grants[name] as Tokens
      if (!areValid(state, grant)) return 'revoked'
      if (state.profile === 'plain') end(state, grant.arrangement, 'withdrawn', 'third_party')
      endTokens(state, grant.arrangement)
      return 'revoked'
    },
  ],
  stop: ({ arrangement }) => [
    (state) => (end(state, arrangement, 'withdrawn', 'customer') ? 'stopped' : 'not active'),
  ],
  end: ({ arrangement }) => [
    (state) => (end(state, arrangement, 'withdrawn', 'operator') ? 'stopped' : 'not active'),
  ],
  withdraw: ({ arrangement }) => [
    authenticate,
    (state) => (end(state, arrangement, 'withdrawn', 'third_party') ? 'stopped' : 'not active'),
  ],
  remove: () => [
    (state) => {
      state.isRegistered = false
      return undefined
    },
    (state) => {
      for (const key of Object.keys(state.arrangements))
        end(state, key, 'withdrawn', 'third_party_removed')
      return 'removed'
    },
  ],
  pass: ({ seconds }) => [
    (state) => {
      state.now += seconds
      for (const [key, { until }] of Object.entries(state.arrangements)) {
        if (until <= state.now) end(state, key, 'expired', 'sharing_ended')
      }
      return 'passed'
    },
  ],
}

/** The amended arrangement keeps its ID and gets the new terms; the other one keeps the earlier terms. */
function amend(state: State, amended: string, code: Required<Flow>['code']): void {
  const [kept, agreed] = [state.arrangements[amended], state.arrangements[code.arrangement]]
  if (kept?.status !== 'active' || !agreed) return
  const { accounts, until } = kept
  Object.assign(kept, { accounts: agreed.accounts, until: agreed.until })
  Object.assign(agreed, { accounts, until, status: 'withdrawn', reason: 'amended' })
  endTokens(state, amended)
  code.arrangement = amended
}

function endTokens(state: State, arrangement: string): void {
  const codes = Object.values(state.flows).flatMap(({ code }) => code ?? [])
  for (const each of [...codes, ...Object.values(state.grants)]) {
    each.isEnded ||= each.arrangement === arrangement
  }
}

/** The steps of an action. */
export const stepsOf = (action: Action) =>
  (steps[action.type] as (action: Action) => readonly Step[])(action)

export function begin(profile: Profile): State {
  return {
    profile,
    now: 0,
    isRegistered: true,
    requests: {},
    flows: {},
    arrangements: {},
    grants: {},
  }
}
