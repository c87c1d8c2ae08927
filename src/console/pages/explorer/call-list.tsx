import { useState } from 'preact/hooks'
import { Badge } from '../../components/badge.tsx'
import { LinkButton } from '../../components/button.tsx'
import { CopyButton } from '../../components/identifier.tsx'
import { formatMs } from '../../labels.ts'
import { calls, type MadeCall } from './calls.ts'
import { Message } from './message.tsx'
import { formatCurl, formatTypeScript } from './snippets.ts'

/** The calls that the page sent to the provider: the exact requests and responses. */
export function CallList() {
  const [isOpen, setOpen] = useState(true)
  const made = calls.value
  return (
    <aside class="calls card" aria-labelledby="calls-heading">
      <div class="calls-heading">
        <h2 id="calls-heading">Requests to the provider</h2>
        <LinkButton aria-expanded={isOpen} onClick={() => setOpen((old) => !old)}>
          {isOpen ? 'Hide' : `Show ${made.length}`}
        </LinkButton>
      </div>
      {isOpen && made.length === 0 && (
        <p class="muted">Every request that this page sends appears here, with its response.</p>
      )}
      {isOpen && made.map((call) => <Call key={call.number} call={call} />)}
    </aside>
  )
}

/** The end of a path, with the query. */
function shorten(url: string): string {
  const { pathname, search } = new URL(url)
  const parts = pathname.split('/')
  return `${parts.length > 2 ? '…/' : '/'}${parts.slice(-1).join('/')}${search}`
}

function Call({ call }: { readonly call: MadeCall }) {
  const [isOpen, setOpen] = useState(false)
  const { input, result } = call
  const { request, response, durationMs } = result
  const isGood = response.status >= 200 && response.status < 300
  return (
    <details class="call" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Badge kind={isGood ? 'good' : 'bad'}>{response.status}</Badge>{' '}
        <span class="call-names">
          <code class="call-request" title={`${request.method} ${request.url}`}>
            {request.method} {shorten(request.url)}
          </code>
          <span class="muted">{input.operation}</span>
        </span>{' '}
        <span class="muted number">{formatMs(durationMs)}</span>
      </summary>
      {isOpen && (
        <>
          <p class="buttons">
            <CopyButton label="Copy as curl" text={formatCurl(result)} />
            <CopyButton label="Copy as TypeScript" text={formatTypeScript(input, result)} />
          </p>
          <p class="muted">
            The command signs a token with the key in the database of the platform. If that is not
            the default database, set <code>HOLDFAST_DATABASE</code>.
          </p>
          <h3>Request</h3>
          <Message
            label={`Request ${call.number}`}
            start={`${request.method} ${request.url}`}
            {...request}
          />
          <h3>Response</h3>
          <Message label={`Response ${call.number}`} start={response.status} {...response} />
          <CopyButton label="Copy response body" text={response.body} />
        </>
      )}
    </details>
  )
}
