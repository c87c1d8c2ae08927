import fc from 'fast-check'
import { triesMax } from '../../src/platform/consent/passcodes.ts'
import type { Action, State } from './arrangement-model.ts'

/** What a person or a program intends. Which action it is depends on what there is. */
export interface Intent {
  readonly type: Action['type'] | 'go on'
  readonly pick: number
  readonly seconds: number
  readonly passed: number
  readonly accounts: readonly number[]
  readonly amends: boolean
}

export const intents: fc.Arbitrary<Intent> = fc.record({
  type: fc.oneof(
    { arbitrary: fc.constant('go on' as const), weight: 50 },
    {
      arbitrary: fc.constantFrom(
        ...(['call', 'refresh', 'introspect', 'exchange', 'open', 'sign in', 'push'] as const),
      ),
      weight: 12,
    },
    { arbitrary: fc.constantFrom('stop', 'end', 'withdraw', 'revoke', 'cancel'), weight: 4 },
    { arbitrary: fc.constant('pass' as const), weight: 3 },
    { arbitrary: fc.constant('remove' as const), weight: 1 },
  ),
  pick: fc.nat(1000),
  seconds: fc.constantFrom(0, 3600, 86_400),
  // Never a sum that ends with something: its last second is not defined.
  passed: fc.constantFrom(31, 61, 301, 601, 1201, 3601, 86_401),
  accounts: fc.constantFrom([0], [1], [0, 1]),
  amends: fc.boolean(),
})

let named = 0

/** The action of an intent, if there is what it needs. */
export function toAction(
  state: State,
  { type, pick, seconds, passed, accounts, amends }: Intent,
): Action | undefined {
  const { requests, flows, arrangements, grants } = state
  /** Rather something new than something old. */
  const choose = (names: readonly string[]) => names.at(-1 - (pick % Math.min(names.length, 3)))
  const inStep = (step: string) => Object.keys(flows).filter((name) => flows[name]?.step === step)
  named += 1
  const as = `n${named}`
  switch (type) {
    case 'go on': {
      const withCode = inStep('returned').filter((name) => {
        const { code } = flows[name] ?? {}
        return code && !code.isUsed && !code.isEnded
      })
      const unopened = Object.keys(requests).filter((name) => !requests[name]?.isOpened)
      const next = [
        ...inStep('agreement').map((flow) => ({ type: 'agree', flow }) as const),
        ...inStep('passcode').map((flow) => ({ type: 'sign in', flow }) as const),
        ...withCode.map((flow) => ({ type: 'exchange', flow, as }) as const),
        ...unopened.map((request) => ({ type: 'open', request, as }) as const),
      ].filter((action) => isPossible(state, action))
      if (next.length > 0) return next[pick % next.length]
      const grant = choose(Object.keys(grants))
      if (grant !== undefined && pick % 3 > 0) return { type: 'call', grant }
      return toAction(state, { type: 'push', pick, seconds, passed, accounts, amends })
    }
    case 'push': {
      const known = Object.keys(arrangements).filter(
        (name) => arrangements[name]?.reason !== 'amended',
      )
      const amended = amends ? choose(known) : undefined
      return { type, seconds, accounts, amended, as }
    }
    case 'open': {
      const request = choose(Object.keys(requests))
      return request === undefined ? undefined : { type, request, as }
    }
    case 'exchange': {
      const flow = choose(inStep('returned'))
      return flow === undefined ? undefined : { type, flow, as }
    }
    case 'sign in':
    case 'agree':
    case 'cancel': {
      const flow = choose(
        Object.keys(flows).filter((name) => isPossible(state, { type, flow: name })),
      )
      return flow === undefined ? undefined : { type, flow }
    }
    case 'call':
    case 'refresh':
    case 'introspect':
    case 'revoke': {
      const grant = choose(Object.keys(grants))
      return grant === undefined ? undefined : { type, grant }
    }
    case 'stop':
    case 'end':
    case 'withdraw': {
      const arrangement = choose(Object.keys(arrangements))
      return arrangement === undefined ? undefined : { type, arrangement }
    }
    case 'remove':
      return { type }
    case 'pass':
      return { type, seconds: passed }
  }
}

/** Whether the people and programs of the model can act so. */
export function isPossible(
  { flows, grants, arrangements, requests }: State,
  action: Action,
): boolean {
  if ('flow' in action) {
    const flow = flows[action.flow]
    if (action.type === 'exchange') return flow?.code !== undefined
    if (action.type === 'sign in')
      return flow?.step === 'agreement' || (flow?.step === 'passcode' && flow.tries < triesMax)
    if (action.type === 'agree') return flow?.step === 'agreement'
    return flow?.step === 'passcode' || flow?.step === 'agreement'
  }
  if ('grant' in action) {
    const grant = grants[action.grant]
    return grant !== undefined && (action.type === 'call' || grant.hasRefreshToken)
  }
  if (action.type === 'open') return requests[action.request] !== undefined
  if (action.type === 'push') return action.amended === undefined || action.amended in arrangements
  if ('arrangement' in action) return action.arrangement in arrangements
  return true
}
