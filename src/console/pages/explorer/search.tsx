import { useState } from 'preact/hooks'
import { scalars } from '../../../contract/scalars.ts'
import { readForm, TextField } from '../../components/field.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { Table } from '../../components/table.tsx'
import { formatCount } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import { setQuery, type ViewProps } from '../../router.ts'
import { exampleEmails } from '../../session.ts'
import { consentsMax, type Found, find } from './find.ts'
import { ExplorerLayout } from './layout.tsx'
import { accountUrl, customerUrl } from './urls.ts'

/** Finds customers by their e-mail address or id, and accounts by their id. */
export function View({ query }: ViewProps) {
  const text = query.get('search') ?? ''
  return (
    <ExplorerLayout
      title="Explorer"
      about="What a customer could share. Every value comes from the provider, with the operations that third parties’ data is read with."
    >
      <SearchForm key={text} text={text} />
      {text !== '' && <Matches text={text} />}
    </ExplorerLayout>
  )
}

function SearchForm({ text }: { readonly text: string }) {
  const [error, setError] = useState<string>()
  const submit = (event: SubmitEvent) => {
    const entered = readForm(event)('search')
    const problem = describeProblem(entered)
    setError(problem)
    if (problem === undefined) setQuery({ search: entered })
  }
  const examples = exampleEmails.value
  return (
    <form class="search card" onSubmit={submit} noValidate>
      <div class="search-line">
        <TextField
          label="E-mail address, customer ID or account ID"
          error={error}
          name="search"
          type="search"
          autocomplete="off"
          spellcheck={false}
          defaultValue={text}
          list="example-emails"
        />
        <button type="submit">Find</button>
      </div>
      <datalist id="example-emails">
        {examples.map((example) => (
          <option key={example} value={example} />
        ))}
      </datalist>
      {examples.length > 0 && (
        <p class="muted">
          Customers of the demo:{' '}
          {examples.map((example, index) => (
            <span key={example}>
              {index > 0 && ', '}
              <a href={`/console/explorer?search=${encodeURIComponent(example)}`}>{example}</a>
            </span>
          ))}
        </p>
      )}
    </form>
  )
}

function describeProblem(text: string): string | undefined {
  if (text === '') return 'Enter an e-mail address or an ID.'
  if (!text.includes('@') || scalars.email.test(text)) return undefined
  return 'Enter the whole e-mail address, such as ana@example.com.'
}

function Matches({ text }: { readonly text: string }) {
  const matches = useResource(text, (signal) => find(text, signal))
  return <Loaded resource={matches}>{(found) => <Results found={found} text={text} />}</Loaded>
}

function Results({ found, text }: { readonly found: Found; readonly text: string }) {
  const { customers, accounts, isComplete } = found
  if (customers.length === 0 && accounts.length === 0) {
    return (
      <Empty
        title={
          text.includes('@')
            ? 'No customer has this e-mail address'
            : 'No customer and no account with this ID was found'
        }
      >
        <p>
          Check the spelling, or load customers with <code>holdfast load</code>.
          {!text.includes('@') &&
            (isComplete
              ? ` Accounts are looked for in the last ${formatCount(consentsMax)} consents, because the interface has no search by account.`
              : ' Accounts are found by a session with the scope consent.read only.')}
        </p>
      </Empty>
    )
  }
  return (
    <>
      {customers.length > 0 && (
        <>
          <h2>{formatCount(customers.length, 'customer')}</h2>
          <Table
            caption="Customers"
            rows={customers}
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
      )}
      {accounts.length > 0 && (
        <>
          <h2>{formatCount(accounts.length, 'account')} in consents</h2>
          <Table
            caption="Accounts"
            rows={accounts}
            rowKey={({ customerId }) => customerId}
            columns={[
              {
                title: 'Account',
                isHeading: true,
                cell: ({ customerId, accountId }) => (
                  <a href={accountUrl(customerId, accountId)}>{accountId}</a>
                ),
              },
              {
                title: 'Shared by the customer',
                cell: ({ customerId }) => <Identifier value={customerId} />,
              },
            ]}
          />
        </>
      )}
    </>
  )
}
