import { useState } from 'preact/hooks'
import { Empty } from '../../components/empty.tsx'
import { Field } from '../../components/field.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useResource } from '../../resource.ts'
import { setQuery } from '../../router.ts'
import { exampleEmails } from '../../session.ts'
import type { ViewProps } from '../../view-props.ts'
import { callProvider } from './calls.ts'
import { ExplorerLayout } from './layout.tsx'
import { customerUrl } from './urls.ts'

/** Finds customers by their e-mail address. */
export function View({ query }: ViewProps) {
  const email = query.get('email') ?? ''
  return (
    <ExplorerLayout title="Explorer">
      <p>
        See what a customer could share: find the customer, and open an account. Every value comes
        from the provider, with the operations that third parties’ data is read with.
      </p>
      <SearchForm key={email} email={email} />
      {email !== '' && <Matches email={email} />}
    </ExplorerLayout>
  )
}

function SearchForm({ email }: { readonly email: string }) {
  const [error, setError] = useState<string>()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get('email')).trim()
    setError(text === '' ? 'Enter an e-mail address.' : undefined)
    if (text !== '') setQuery({ email: text })
  }
  const examples = exampleEmails.value
  return (
    <form class="search" onSubmit={submit} noValidate>
      <Field label="E-mail address of the customer" error={error}>
        {(control) => (
          <input
            {...control}
            key={email}
            name="email"
            type="email"
            autocomplete="off"
            spellcheck={false}
            defaultValue={email}
            list={examples.length > 0 ? 'example-emails' : undefined}
          />
        )}
      </Field>
      {examples.length > 0 && (
        <datalist id="example-emails">
          {examples.map((example) => (
            <option key={example} value={example} />
          ))}
        </datalist>
      )}
      <p class="buttons">
        <button type="submit">Find</button>
      </p>
      {examples.length > 0 && (
        <p class="muted">
          Customers of the demo:{' '}
          {examples.map((example, index) => (
            <span key={example}>
              {index > 0 && ', '}
              <a href={`/console/explorer?email=${encodeURIComponent(example)}`}>{example}</a>
            </span>
          ))}
        </p>
      )}
    </form>
  )
}

function Matches({ email }: { readonly email: string }) {
  const matches = useResource(email, (signal) =>
    callProvider({ operation: 'searchCustomers', body: { email } }, signal),
  )
  return (
    <Loaded resource={matches}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="No customer has this e-mail address">
            <p>
              Check the spelling, or load customers with <code>holdfast load</code>.
            </p>
          </Empty>
        ) : (
          <>
            <h2>
              {data.length === 1 ? '1 customer' : `${data.length.toLocaleString('en')} customers`}
            </h2>
            <ul class="cards">
              {data.map(({ id, name, phoneNumber }) => (
                <li key={id} class="card">
                  <h3>
                    <a href={customerUrl(id)}>{name || id}</a>
                  </h3>
                  <p>
                    <Identifier value={id} />
                  </p>
                  {phoneNumber && <p class="muted">Passcodes go to {phoneNumber}</p>}
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Loaded>
  )
}
