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
