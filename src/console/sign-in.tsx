import { useId, useState } from 'preact/hooks'
import { Badge } from './components/badge.tsx'
import { Button } from './components/button.tsx'
import { Facts } from './components/facts.tsx'
import { readForm } from './components/field.tsx'
import { Icon } from './components/icon.tsx'
import { isDemo, providerName, signIn } from './session.ts'

/** Signs in with the credentials of an API client. In the demo, a button is enough. */
export function SignIn({ isDialog = false }: { readonly isDialog?: boolean }) {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const id = useId()
  const start = async (credentials?: Parameters<typeof signIn>[0]) => {
    setBusy(true)
    setProblem(undefined)
    setProblem(await signIn(credentials))
    setBusy(false)
  }
  const submit = (event: SubmitEvent) => {
    const read = readForm(event)
    const credentials = { client_id: read('id'), client_secret: read('secret') }
    if (credentials.client_id === '') setProblem('Enter the client ID.')
    else if (credentials.client_secret === '') setProblem('Enter the secret.')
    else start(credentials)
  }
  return (
    <>
      {!isDialog && <Platform />}
      {problem !== undefined && (
        <p class="problem" role="alert" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {isDemo.value && (
        <p class="demo">
          <Button disabled={isBusy} onClick={() => start()}>
            Sign in to the demo
          </Button>
        </p>
      )}
      <details open={!isDemo.value}>
        <summary>
          {isDemo.value ? 'Sign in as an API client' : 'Credentials of an API client'}
        </summary>
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
            The UUID of an API client: an account of a person or of a program at this platform. Its
            scopes decide which pages it sees.
          </p>
          <label for={`${id}-secret`}>Secret</label>
          <input
            id={`${id}-secret`}
            name="secret"
            type="password"
            autocomplete="current-password"
          />
          <p>
            <button type="submit" disabled={isBusy} class={isDemo.value ? 'secondary' : undefined}>
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
