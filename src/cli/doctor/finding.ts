import { isExpected } from '../../server/terminal.ts'
import { systemReason } from '../../storage/system-reason.ts'

export type Subject =
  | 'settings'
  | 'files'
  | 'database'
  | 'keys'
  | 'clients'
  | 'clock'
  | 'certificates'
  | 'upstream'
  | 'identity provider'
  | 'disk'
  | 'ports'
  | 'limits'

export interface Finding {
  readonly subject: Subject
  readonly state: 'ok' | 'warning' | 'problem'
  readonly text: string
  /** What to do. */
  readonly advice?: string
}

export function ok(subject: Subject, text: string): Finding {
  return { subject, state: 'ok', text }
}

export function warning(subject: Subject, text: string, advice: string): Finding {
  return { subject, state: 'warning', text, advice }
}

/** The messages of most errors say what to do. */
export function problem(subject: Subject, text: string, advice?: string): Finding {
  return { subject, state: 'problem', text, ...(advice !== undefined && { advice }) }
}

const unreachable: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
]

/** What to do if a server of PostgreSQL cannot be reached, about which the driver says only that. */
function findConnectionAdvice(cause: unknown): string | undefined {
  if (!unreachable.includes((cause as NodeJS.ErrnoException | undefined)?.code)) return undefined
  return 'Start the server of the database, or correct host and port of HOLDFAST_DATABASE (--database).'
}

/** Runs a part of the examination. An error for the user is a problem: the other parts still run. */
export async function examinePart(
  subject: Subject,
  work: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await work()
  } catch (error) {
    const { syscall, path = '', code } = error as NodeJS.ErrnoException
    if (syscall !== undefined) return [problem(subject, `${path}: ${systemReason(code)}`)]
    if (!isExpected(error)) throw error
    const advice = findConnectionAdvice(error.cause)
    return error.message.split('\n').map((line) => problem(subject, line, advice))
  }
}
