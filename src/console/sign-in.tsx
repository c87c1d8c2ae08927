import { useId, useState } from 'preact/hooks'
import { Button } from './components/button.tsx'
import { readForm } from './components/field.tsx'
import { isDemo, signIn } from './session.ts'

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
      {!isDialog && <h1 tabIndex={-1}>Sign in to Holdfast</h1>}
      {problem !== undefined && (
        <p class="problem" role="alert" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {isDemo.value && (
        <>
          <p>This is the demo: its data is synthetic.</p>
          <p>
            <Button disabled={isBusy} onClick={() => start()}>
              Sign in to the demo
            </Button>
          </p>
        </>
      )}
      <details open={!isDemo.value}>
        <summary>
          {isDemo.value ? 'Sign in as an API client' : 'Credentials of an API client'}
        </summary>
        <form onSubmit={submit} noValidate>
          <label for={`${id}-id`}>Client ID</label>
          <input id={`${id}-id`} name="id" autocomplete="username" spellcheck={false} />
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
          To register a client, run <code>holdfast client add NAME --scope products.write</code>.
          Its scopes decide which pages it sees.
        </p>
      </details>
    </>
  )
}
