import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PlatformStatus } from '../contract/index.ts'
import { getStatus } from '../contract/operations/monitoring.ts'
import type { Scope } from '../contract/scopes.ts'
import { read } from './api.ts'
import { Badge } from './components/badge.tsx'
import { Button, LinkButton } from './components/button.tsx'
import { Dialog } from './components/dialog.tsx'
import { Icon } from './components/icon.tsx'
import { PageHeading } from './components/page-heading.tsx'
import { Notice, Skeleton } from './components/states.tsx'
import { formatCount } from './labels.ts'
import { findPage, type PageDefinition, sections } from './pages.ts'
import { useResource } from './resource.ts'
import { location, type ViewProps } from './router.ts'
import {
  features,
  hasScope,
  identityProvider,
  isDemo,
  providerName,
  session,
  sessionStatus,
  userKey,
} from './session.ts'
import { loadSession, signOut } from './session-calls.ts'
import { SignIn } from './sign-in.tsx'
import { hasStoredEdits, removeStoredEdits } from './stored-edits.ts'

/** The whole console: the sidebar, the view of the path, or the form to sign in. */
export function Shell() {
  const status = sessionStatus.value
  if (status === 'unknown') return <main class="content">{<Skeleton />}</main>
  if (status === 'unreachable') {
    return (
      <main class="content narrow">
        <div class="card sign-in">
          <h1>The platform cannot be reached</h1>
          <p>Check that it runs. This page tries again when you press the button.</p>
          <Button onClick={() => loadSession()}>Try again</Button>
        </div>
      </main>
    )
  }
  if (status === 'signedOut') {
    return (
      <main class="content narrow">
        <div class="card sign-in">
          <SignIn />
        </div>
      </main>
    )
  }
  return (
    <div class="console">
      <a class="skip" href="#view">
        Skip to content
      </a>
      <Sidebar />
      <main class="content" id="view">
        {/* Another user that signs in after a session has ended does not continue its view. */}
        <CurrentView key={userKey.value} />
      </main>
      {status === 'ended' && (
        <Dialog title="Your session has ended">
          <p>Sign in again as the same user to continue: what you entered on this page is kept.</p>
          <SignIn isDialog />
        </Dialog>
      )}
    </div>
  )
}

function isVisible({ scope, feature }: PageDefinition): boolean {
  return (
    session.value?.scopes.length !== 0 &&
    (scope === undefined || hasScope(scope)) &&
    (feature === undefined || features.value.includes(feature))
  )
}

function Sidebar() {
  const [isOpen, setOpen] = useState(false)
  const { path } = location.value
  useEffect(() => setOpen(false), [path])
  const counts = useCounts()
  const isCurrent = (section: PageDefinition) =>
    section.path === '' ? path === '' : path === section.path || path.startsWith(`${section.path}/`)
  return (
    <header class="sidebar">
      <div class="sidebar-head">
        <a class="brand" href="/console">
          <Icon name="anchor" size={22} />
          Holdfast
        </a>
        <Button
          class="secondary menu"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </Button>
      </div>
      <div class={isOpen ? 'navigation open' : 'navigation'} id="navigation">
        <nav aria-label="Pages">
          {sections.filter(isVisible).map((section) => {
            const count = section.count && counts?.[section.count]
            return (
              <a
                key={section.path}
                href={`/console${section.path}`}
                aria-current={isCurrent(section) ? 'page' : undefined}
              >
                <Icon name={section.icon} />
                {section.title}
                {count !== undefined && <span class="count">{formatCount(count)}</span>}
              </a>
            )
          })}
        </nav>
        <div class="client">
          {isDemo.value && <Badge kind="warn">Demo</Badge>}
          {providerName.value !== undefined && <span>{providerName.value}</span>}
          <span title={`Scopes: ${session.value?.scopes.join(', ')}`}>
            Signed in as <b>{session.value?.user.name}</b>
          </span>
          <LinkButton onClick={leave}>Sign out</LinkButton>
        </div>
      </div>
    </header>
  )
}

const countsRefreshMs = () => 60_000

/** How much there is in the sections that have a count, if the session may read it. */
function useCounts(): PlatformStatus['counts'] | undefined {
  const isPermitted = hasScope('operations.read')
  const status = useResource(
    `counts ${isPermitted}`,
    async (signal) => (isPermitted ? read(getStatus, { signal }) : undefined),
    { refreshMs: countsRefreshMs },
  )
  return status.value?.counts
}

async function leave(): Promise<void> {
  const question = 'There are unsaved changes. Sign out and discard them?'
  if (hasStoredEdits() && !window.confirm(question)) return
  const { problem, url } = await signOut()
  if (problem !== undefined) {
    window.alert(problem)
    return
  }
  removeStoredEdits()
  if (url !== undefined) window.location.assign(url)
}

function CurrentView() {
  const { path, query } = location.value
  const found = findPage(path)
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current) focusHeading()
    isFirst.current = false
  }, [path])
  if (!found) return <NotFound />
  const { page, params } = found
  if (session.value?.scopes.length === 0) return <NoAccess />
  if (page.scope !== undefined && session.value && !hasScope(page.scope)) {
    return <NoPermission title={page.title} scope={page.scope} />
  }
  return <LazyView key={page.path} page={page} params={params} query={query} />
}

/** A screen reader announces the new view. The heading may appear after the data. */
function focusHeading(): void {
  const focus = () => {
    const heading = document.querySelector<HTMLElement>('main h1')
    heading?.focus({ preventScroll: true })
    return heading !== null
  }
  if (focus()) return
  const observer = new MutationObserver(() => focus() && observer.disconnect())
  observer.observe(document.body, { childList: true, subtree: true })
}

const loadedViews = new Map<PageDefinition, ComponentType<ViewProps>>()

function LazyView({ page, ...props }: ViewProps & { readonly page: PageDefinition }) {
  const [View, setView] = useState(() => page.View ?? loadedViews.get(page))
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    if (View) return
    page.load?.().then(
      (module) => {
        loadedViews.set(page, module.View)
        setView(() => module.View)
      },
      () => setFailed(true),
    )
  }, [page, View])
  useEffect(() => {
    document.title = `${page.title} – Holdfast`
  }, [page])
  if (hasFailed) {
    return (
      <Notice kind="bad" title="This page could not be loaded">
        <p>The server may have been updated or restarted.</p>
        <Button onClick={() => window.location.reload()}>Reload</Button>
      </Notice>
    )
  }
  return View ? <View {...props} /> : <Skeleton />
}

/** Says which scope is missing, and how to get it. */
function NoPermission({ title, scope }: { readonly title: string; readonly scope: Scope }) {
  return (
    <>
      <PageHeading title={title} />
      <p>
        This page needs the scope <code>{scope}</code>. {session.value?.user.name} does not have it.
      </p>
      {session.value?.user.issuer === undefined ? (
        <p class="muted">
          To register a client that has it, run{' '}
          <code>holdfast client add NAME --scope {scope}</code>.
        </p>
      ) : (
        <HowToGetAccess />
      )}
    </>
  )
}

/** For a person whose claims give no scope. */
function NoAccess() {
  return (
    <>
      <PageHeading title="You have no access to this console" />
      <p>
        You are signed in at {identityProvider.value?.host} as <b>{session.value?.user.name}</b>,
        but nothing there gives you access.
      </p>
      <HowToGetAccess />
      <p>To use another account, sign out first.</p>
      <Button onClick={leave}>Sign out</Button>
    </>
  )
}

function HowToGetAccess() {
  return (
    <p class="muted">
      Ask an administrator of the identity provider. What you may do depends on the claim{' '}
      <code>{identityProvider.value?.claim}</code>, with the values that{' '}
      <code>HOLDFAST_CONSOLE_SCOPES</code> of the platform names. It is read at the sign-in.
    </p>
  )
}

function NotFound() {
  return (
    <>
      <PageHeading title="Page not found" />
      <p>
        There is no page at this address. Go to the <a href="/console">overview</a>.
      </p>
    </>
  )
}
