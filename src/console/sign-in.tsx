import { useId, useState } from 'preact/hooks'
import { type SignInFailure, signInFailureParameter } from '../contract/sign-in.ts'
import { Badge } from './components/badge.tsx'
import { Button } from './components/button.tsx'
import { Facts } from './components/facts.tsx'
import { readForm } from './components/field.tsx'
import { Icon } from './components/icon.tsx'
import { leaveToSignIn, location } from './router.ts'
import { identityProvider, isDemo, providerName } from './session.ts'
import { beginSignIn, signIn } from './session-calls.ts'

/** Why a sign-in at the identity provider failed, and what to do. */
const failures = new Map<string, string>(
  Object.entries({
    unreachable: 'The identity provider did not respond. Try again in a minute.',
    denied: 'The sign-in was cancelled at the identity provider.',
    expired: 'The sign-in took too long, or was begun in another tab. Sign in again.',
    clock:
      'The clock of the platform or of the identity provider is wrong. Tell an administrator of the platform.',
    rejected:
      'The answer of the identity provider was not accepted. Tell an administrator of the platform: the log has the reason.',
    too_many: 'Too many sign-ins failed. Wait a minute, and try again.',
  } satisfies Record<SignInFailure, string>),
)

/** Signs in at the identity provider, or with the credentials of an API client. In the demo, a button is enough. */
export function SignIn({ isDialog = false }: { readonly isDialog?: boolean }) {
  const failure = failures.get(location.value.query.get(signInFailureParameter) ?? '')
  const [problem, setProblem] = useState(failure)
  const [isBusy, setBusy] = useState(false)
  const id = useId()
  const run = async (action: () => Promise<string | undefined>) => {
    setBusy(true)
    setProblem(undefined)
    setProblem(await action())
    setBusy(false)
  }
  const submit = (event: SubmitEvent) => {
    const read = readForm(event)
    const credentials = { client_id: read('id'), client_secret: read('secret') }
    if (credentials.client_id === '') setProblem('Enter the client ID.')
    else if (credentials.client_secret === '') setProblem('Enter the secret.')
    else run(() => signIn(credentials))
  }
  const provider = identityProvider.value
  const hasOther = isDemo.value || provider !== undefined
  return (
    <>
      {!isDialog && <Platform />}
      {problem !== undefined && (
        <p class="problem" role="alert" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {provider && (
        <>
          <p class="main-action">
            <Button disabled={isBusy} onClick={() => run(signInThere)}>
              Sign in at {provider.host}
            </Button>
          </p>
          {!provider.is_reachable && problem === undefined && (
            <p class="problem" role="status">
              {provider.host} did not respond a moment ago. You can try, or sign in as an API
              client.
            </p>
          )}
        </>
      )}
      {isDemo.value && (
        <p class="main-action">
          <Button disabled={isBusy} onClick={() => run(() => signIn())}>
            Sign in to the demo
          </Button>
        </p>
      )}
      <details open={!hasOther}>
        <summary>{hasOther ? 'Sign in as an API client' : 'Credentials of an API client'}</summary>
        <form onSubmit={submit} noValidate>
          <label for={`${id}-id`}>Client ID</label>
          <input
            id={`${id}-id`}
            name="id"
            autocomplete="username"
            spellcheck={false}
            aria-describedby={`${id}-about`}
          />
          <p class="muted" id={`${id}-about`}>
            The UUID of an API client: an account of {provider ? '' : 'a person or of '}a program at
            this platform. Its scopes decide which pages it sees.
          </p>
          <label for={`${id}-secret`}>Secret</label>
          <input
            id={`${id}-secret`}
            name="secret"
            type="password"
            autocomplete="current-password"
          />
          <p>
            <button type="submit" disabled={isBusy} class={hasOther ? 'secondary' : undefined}>
              Sign in
            </button>
          </p>
        </form>
        <p class="muted">
          An administrator of the platform registers a client with{' '}
          <code>holdfast client add NAME --scope products.write</code>, which prints the ID and the
          secret.
        </p>
      </details>
    </>
  )
}

/** Goes to the identity provider, and back to this page. Returns why it failed. */
async function signInThere(): Promise<string | undefined> {
  const { pathname, search } = window.location
  const query = new URLSearchParams(search)
  query.delete(signInFailureParameter)
  const begun = await beginSignIn(query.size === 0 ? pathname : `${pathname}?${query}`)
  if ('problem' in begun) return begun.problem
  leaveToSignIn(begun.url)
  return undefined
}

/** Which platform of which provider the credentials are for. */
function Platform() {
  return (
    <>
      <span class="brand">
        <Icon name="anchor" size={22} />
        Holdfast
      </span>
      <h1 tabIndex={-1}>Sign in to {providerName.value ?? 'the platform'}</h1>
      <p class="muted">The console of the product catalogue, the consents and the servers.</p>
      <Facts
        facts={{
          Platform: window.location.host,
          Environment: isDemo.value ? (
            <>
              <Badge kind="warn">Demo</Badge> <span class="muted">with synthetic data</span>
            </>
          ) : undefined,
        }}
      />
    </>
  )
}
