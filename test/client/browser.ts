import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/**
 * It shows one page to nobody, and asks nobody else for anything. The page is our own, so it needs no
 * sandbox, which containers and root do not have.
 */
const flags = [
  '--headless',
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

export interface Browser {
  /** Rejects when the browser ends before it is closed, with what it complained about. */
  readonly ended: Promise<never>
  close(): Promise<void>
}

/** Opens a page in a browser of its own, with an empty profile. */
export async function openBrowser(url: string): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'holdfast-browser-'))
  // A group of its own: a browser is many processes.
  const child = spawn(findBrowser(), [...flags, `--user-data-dir=${profile}`, url], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const complaints: string[] = []
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => complaints.push(chunk))
  const closed = once(child, 'close')
  const ended = closed.then(([code]) => {
    throw new Error(`the browser ended with ${code}: ${complaints.join('').slice(-2000)}`)
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
  const places = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  const found = [process.env['CHROMIUM'], ...places].find((place) => place && isProgram(place))
  if (found) return found
  throw new Error(`no browser: install one of ${names.join(', ')}, or say where one is by CHROMIUM`)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
