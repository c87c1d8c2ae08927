import { useState } from 'preact/hooks'
import { readForm, TextField } from '../../components/field.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { Table } from '../../components/table.tsx'
import { formatCount } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import { setQuery, type ViewProps } from '../../router.ts'
import { exampleEmails } from '../../session.ts'
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
    const text = readForm(event)('email')
    setError(text === '' ? 'Enter an e-mail address.' : undefined)
    if (text !== '') setQuery({ email: text })
  }
  const examples = exampleEmails.value
  return (
    <form class="search" onSubmit={submit} noValidate>
      <TextField
        label="E-mail address of the customer"
        error={error}
        name="email"
        type="email"
        autocomplete="off"
        spellcheck={false}
        defaultValue={email}
        list="example-emails"
      />
      <datalist id="example-emails">
        {examples.map((example) => (
          <option key={example} value={example} />
        ))}
      </datalist>
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
            <h2>{formatCount(data.length, 'customer')}</h2>
            <Table
              caption="Customers"
              rows={data}
              rowKey={({ id }) => id}
              columns={[
                {
                  title: 'Name',
                  isHeading: true,
                  cell: ({ id, name }) => <a href={customerUrl(id)}>{name || id}</a>,
                },
                { title: 'ID', cell: ({ id }) => <Identifier value={id} /> },
                { title: 'Passcodes go to', cell: ({ phoneNumber }) => phoneNumber ?? '' },
              ]}
            />
          </>
        )
      }
    </Loaded>
  )
}
