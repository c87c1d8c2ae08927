/** Who takes part in a consent. */
export type Party = 'customer' | 'third party' | 'platform' | 'provider'

/** The parts of the timeline, in order. */
export const phases = ['request', 'consent', 'tokens', 'data', 'withdrawal'] as const
export type Phase = (typeof phases)[number]

/** Names and values, in the order in which they are shown. */
export type Fields = readonly (readonly [name: string, value: string])[]

/** A JSON Web Token that was sent or received, without its signature. */
export interface ShownToken {
  readonly name: string
  readonly header: object
  readonly claims: object
}

/** One call between two parties, as it is shown. It contains no token and no passcode. */
export interface Call {
  readonly from: Party
  readonly to: Party
  readonly title: string
  /** Identifies a call that others name as their cause. */
  readonly id?: string | undefined
  /** The ID of the call during which this one was made. */
  readonly cause?: string | undefined
  /** What this call is for: the rule that it implements. */
  readonly rule: string
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly sent?: Fields | undefined
  readonly tokens?: readonly ShownToken[] | undefined
  readonly received?: Fields | undefined
  /** Undefined if there was no response. */
  readonly status?: number | undefined
  /** In milliseconds since the start of the process. */
  readonly started: number
  readonly ms?: number | undefined
}

export interface RecordedCall extends Call {
  readonly phase: Phase
}

/** A step, and the calls that it caused. */
export interface Step {
  readonly call: RecordedCall
  readonly caused: readonly RecordedCall[]
}

/** The calls of a phase in the order in which they started, each below its cause. A call whose cause is not recorded is a step itself. */
export function listSteps(calls: readonly RecordedCall[], phase: Phase): readonly Step[] {
  const sorted = calls.toSorted((one, other) => one.started - other.started)
  const ids = new Set(calls.map(({ id }) => id).filter((id) => id !== undefined))
  const isStep = ({ cause }: RecordedCall) => cause === undefined || !ids.has(cause)
  return sorted
    .filter((call) => call.phase === phase && isStep(call))
    .map((call) => ({
      call,
      caused: sorted.filter(({ cause }) => cause !== undefined && cause === call.id),
    }))
}

/** Decodes a token without verifying it: its receiver does. Undefined if the text is not a token. */
export function showToken(name: string, token: string): ShownToken | undefined {
  const [header = '', claims = ''] = token.split('.')
  try {
    return { name, header: decode(header), claims: decode(claims) }
  } catch {
    return undefined
  }
}

function decode(part: string): object {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as object
}
