import assert from 'node:assert/strict'
import { runInProcess } from '../support/process.ts'

/** A record as the command exports it. */
export type Exported = Readonly<Record<string, unknown>>

export type Side = 'provider' | 'platform'

/** The commands for the records of a provider, or of a platform. */
export function openRecordCommands(database: string, side: Side = 'provider') {
  const run = (...args: readonly string[]) =>
    runInProcess(['records', ...args, '--of', side, '--database', database])
  const list = async (...args: readonly string[]): Promise<Exported[]> => {
    const { status, stdout, stderr } = await run('export', ...args)
    assert.equal(status, 0, stderr)
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }
  return { run, list }
}

/** Without what differs each time. */
export function withoutPlace({
  time: _time,
  position: _position,
  interactionId: _id,
  ...rest
}: Exported): Exported {
  return rest
}
