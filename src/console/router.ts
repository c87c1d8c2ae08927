import { signal } from '@preact/signals'

/** Where the console is: a path below /console, and the parameters of its view. */
export interface Location {
  readonly path: string
  readonly query: URLSearchParams
}

/** What every view gets. */
export interface ViewProps {
  /** The parts of the path that the pattern names. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

const base = '/console'

export const location = signal(readLocation())

/** Asks before a view with unsaved changes is left. Returns whether it may be left. */
let mayLeave: (() => boolean) | undefined

/** Whether the page goes to a sign-in elsewhere, and comes back. */
let isSigningIn = false

/** Unsaved changes stay in the browser tab meanwhile. */
export function leaveToSignIn(url: string): void {
  isSigningIn = true
  window.location.assign(url)
}

/** The returned function removes the listener. */
export function confirmLeaving(ask: () => boolean): () => void {
  mayLeave = ask
  const warn = (event: BeforeUnloadEvent) => {
    if (!isSigningIn) event.preventDefault()
  }
  window.addEventListener('beforeunload', warn)
  return () => {
    if (mayLeave === ask) mayLeave = undefined
    window.removeEventListener('beforeunload', warn)
  }
}

/** `url` is a path of the console, such as /console/catalogue?text=saver. */
export function navigate(url: string, { replace = false } = {}): void {
  if (!replace && mayLeave?.() === false) return
  if (!replace) mayLeave = undefined
  history[replace ? 'replaceState' : 'pushState'](null, '', url)
  location.value = readLocation()
  if (!replace) window.scrollTo(0, 0)
}

/** A positive number from the address of the view, which a person may have typed. */
export function readCount(
  query: URLSearchParams,
  name: string,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const value = Number(query.get(name))
  return Number.isInteger(value) && value >= 1 && value <= max ? value : undefined
}

/** Changes parameters of the current view: an empty text removes one. The back button skips it if `replace` is set. */
export function setQuery(
  changes: Readonly<Record<string, string | undefined>>,
  { replace = false } = {},
): void {
  const query = new URLSearchParams(location.value.query)
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value)
    else query.delete(name)
  }
  const url = toUrl({ path: location.value.path, query })
  history[replace ? 'replaceState' : 'pushState'](null, '', url)
  location.value = readLocation()
}

/** Makes links to views change the view instead of loading the page again. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || link.target || link.hasAttribute('download')) return
    const { origin, pathname, search, hash } = new URL(link.href)
    if (origin !== window.location.origin || hash || !isView(pathname)) return
    event.preventDefault()
    navigate(pathname + search)
  })
  window.addEventListener('popstate', () => {
    if (mayLeave?.() === false) {
      history.pushState(null, '', toUrl(location.value))
      return
    }
    mayLeave = undefined
    location.value = readLocation()
  })
}

/** A part of a path. One that is not encoded correctly stays as it is. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function isView(path: string): boolean {
  return path === base || path.startsWith(`${base}/`)
}

function toUrl({ path, query }: Location): string {
  const text = query.toString()
  return `${base}${path}${text && `?${text}`}`
}

function readLocation(): Location {
  const { pathname, search } = window.location
  return {
    path: pathname.slice(base.length).replace(/\/$/, ''),
    query: new URLSearchParams(search),
  }
}
