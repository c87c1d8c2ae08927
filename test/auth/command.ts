import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { main } from '../../src/cli/main.ts'
import { inherited } from '../support/environment.ts'
import { holdfastProgram } from '../support/program.ts'

/** Runs the program as its users do. It sees the given environment and nothing of ours. */
export async function holdfast(args: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [holdfastProgram, ...args], {
    env: { ...inherited, ...environment },
  })
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { status, stdout, stderr }
}

/** The same without a process of its own: a failure that nobody foresaw is thrown. */
export async function holdfastHere(args: readonly string[]) {
  const printed = { stdout: '', stderr: '' }
  const out = (text: string) => {
    printed.stdout += text
  }
  const error = (text: string) => {
    printed.stderr += text
  }
  const status = await main(args, {
    out,
    error,
    status: error,
    write: async (text) => out(text),
    isInteractive: false,
    environment: {},
  })
  return { status, ...printed }
}
