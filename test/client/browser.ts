import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** The headless shell first: it has no browser window, and opens a page in a third of the time. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]

/**
 * Without background network traffic. No sandbox, because containers and root do not support
 * one and the page is trusted.
 */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-proxy-server',
]

/** For Playwright, which starts browsers headless. A timeout of 0 is none. */
export const launchOptions = () => ({ executablePath: findBrowser(), args: flags, timeout: 0 })

export interface Browser {
  /** Rejects with the error output if the browser exits before it is closed. */
  readonly ended: Promise<never>
  close(): Promise<void>
}

/** Opens a page in a new browser process with an empty profile. */
export async function openBrowser(url: string): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'holdfast-browser-'))
  // Its own process group, because a browser has many processes.
  const child = spawn(findBrowser(), ['--headless', ...flags, `--user-data-dir=${profile}`, url], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const errors: string[] = []
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => errors.push(chunk))
  const closed = once(child, 'close')
  const ended = closed.then(([code]) => {
    throw new Error(`the browser exited with ${code}: ${errors.join('').slice(-2000)}`)
  })
  ended.catch(() => {})

  return {
    ended,
    async close() {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        process.kill(-child.pid, 'SIGKILL')
      }
      await closed
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function findBrowser(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  const found = [process.env['CHROMIUM'], ...candidates].find((path) => path && isExecutable(path))
  if (found) return found
  throw new Error(
    `no browser found: install one of ${names.join(', ')}, or set CHROMIUM to its path`,
  )
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
