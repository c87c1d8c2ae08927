import { useState } from 'preact/hooks'
import type { Scope } from '../../../contract/scopes.ts'
import { send } from '../../api.ts'
import { Confirm } from '../../components/dialog.tsx'
import { CopyButton } from '../../components/identifier.tsx'
import { Problem } from '../../components/states.tsx'
import { features, hasScope } from '../../session.ts'
import { useAction } from '../../use-action.ts'
import type { CallInput } from '../explorer/call-input.ts'
import { sendCall } from '../explorer/calls.ts'
import { Message, type MessageContent } from '../explorer/message.tsx'
import { formatCurl, formatTypeScript } from '../explorer/snippets.ts'
import {
  type BuiltRequest,
  buildRequest,
  type FormValues,
  fieldName,
  formatClientCurl,
  listInputs,
} from './build-request.ts'
import {
  type ListedOperation,
  type OpenApiDocument,
  readScope,
  readServerUrl,
} from './documents.ts'
import { InputForm } from './input-form.tsx'

interface Props {
  readonly document: OpenApiDocument
  readonly operation: ListedOperation
}

interface Outcome {
  readonly request: MessageContent
  readonly response: MessageContent
  /** Commands and programs that do the same, by the label of their button. */
  readonly copies: Readonly<Record<string, string>>
}

/** Sends the operation with the session, or says why it cannot be sent. */
export function TryIt(props: Props) {
  const obstacle = findObstacle(props.operation)
  return (
    <section class="try-it" aria-labelledby="try-it">
      <h2 id="try-it">Try it</h2>
      {obstacle !== undefined && <p>{obstacle}</p>}
      {obstacle === undefined ? <Form {...props} /> : hasCommand(props) && <Command {...props} />}
    </section>
  )
}

/** Why the console cannot send the operation; undefined if it can. */
function findObstacle(operation: ListedOperation): string | undefined {
  const { document, method, tags, responses, security } = operation
  if (document === 'intake') return 'The intake is another server. Send the request from a shell:'
  if (document === 'provider') {
    if (!features.value.includes('explorer'))
      return 'The platform calls the provider only with HOLDFAST_EXPLORER=true.'
    return hasScope('data.read') ? undefined : 'Your session needs the scope data.read.'
  }
  if (document === 'third-party' && security.length > 0)
    return 'A third party sends it, with its key and the tokens of a consent. The folder examples/third-party of the package has a client.'
  const scope = readScope(operation)
  if (scope !== undefined && !hasScope(scope as Scope))
    return `Your session needs the scope ${scope}.`
  if (tags.includes('access') && method !== 'GET')
    return 'It concerns credentials or this session. Send the request from a shell:'
  const isStream = Object.values(responses).some(
    ({ content = {} }) => 'text/event-stream' in content,
  )
  return isStream ? 'The response does not end. Read it from a shell:' : undefined
}

/** A request of a third party has proofs that a command cannot make. */
function hasCommand({ operation }: Props): boolean {
  return operation.document !== 'third-party'
}

/** For operations that the console does not send. A provider token is signed by `holdfast call`. */
function Command({ document, operation }: Props) {
  if (operation.document === 'provider') {
    return <pre>{`npx holdfast call ${operation.operationId} --help`}</pre>
  }
  const example = Object.values(operation.requestBody?.content ?? {})[0]?.example
  const values = Object.fromEntries(
    listInputs(operation)
      .filter((parameter) => parameter.in === 'path')
      .map((parameter) => [fieldName(parameter), String(parameter.example ?? '')]),
  )
  const { request } = buildRequest(document, operation, values)
  const text = typeof example === 'string' ? example : JSON.stringify(example)
  const { origin } = operation.document === 'intake' ? readServerUrl(document) : window.location
  const command = formatClientCurl(origin, operation, request, text)
  return (
    <>
      <pre>{command}</pre>
      <CopyButton label="Copy as curl" text={command} />
      {operation.security.length > 0 && (
        <p class="muted">
          <code>TOKEN</code> is the token of an API client, from <code>issueToken</code>.
        </p>
      )}
    </>
  )
}

function Form({ document, operation }: Props) {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [outcome, setOutcome] = useState<Outcome>()
  const { error, run } = useAction()
  const [pending, setPending] = useState<BuiltRequest>()
  const isProvider = operation.document === 'provider'
  const sendNow = async (request: BuiltRequest) => {
    setOutcome(undefined)
    setOutcome(await (isProvider ? sendToProvider : sendToPlatform)(operation, request))
  }
  const submit = (values: FormValues) => {
    const built = buildRequest(document, operation, values)
    setErrors(built.errors)
    if (Object.keys(built.errors).length > 0) return
    // Operations of a provider only read, also those with a body.
    if (!isProvider && operation.method !== 'GET') return setPending(built.request)
    run(() => sendNow(built.request))
  }
  return (
    <>
      <InputForm document={document} operation={operation} errors={errors} onSubmit={submit} />
      {pending && (
        <Confirm
          title="Send the request?"
          action="Send"
          isDangerous={operation.method === 'DELETE'}
          onConfirm={() => sendNow(pending)}
          onClose={() => setPending(undefined)}
        >
          <p>
            <code>
              {operation.method} {pending.path}
            </code>{' '}
            may change data of the platform. It is sent with the scopes of your session.
          </p>
        </Confirm>
      )}
      {error && <Problem error={error} />}
      {outcome && (
        <div role="status">
          <h3>Request</h3>
          <Message label="Request" {...outcome.request} />
          <h3>Response</h3>
          <Message label="Response" {...outcome.response} />
          <p class="buttons">
            {Object.entries(outcome.copies).map(([label, text]) => (
              <CopyButton key={label} label={label} text={text} />
            ))}
          </p>
        </div>
      )}
    </>
  )
}

async function sendToProvider(
  { operationId }: ListedOperation,
  { params, query, body }: BuiltRequest,
): Promise<Outcome> {
  const input: CallInput = {
    operation: operationId as CallInput['operation'],
    params,
    query,
    ...(body !== undefined && { body }),
  }
  const result = await sendCall(input)
  const { request, response } = result
  return {
    request: { start: `${request.method} ${request.url}`, ...request },
    response: { start: response.status, ...response },
    copies: {
      'Copy as curl': formatCurl(result),
      'Copy as TypeScript': formatTypeScript(input, result),
      'Copy response body': response.body,
    },
  }
}

async function sendToPlatform(operation: ListedOperation, request: BuiltRequest): Promise<Outcome> {
  const { path, query, headers, body } = request
  const response = await send(operation.method, path, { query, headers, body })
  const text = await response.text()
  const received = [...response.headers].map(([name, value]) => ({ name, value }))
  const curl = formatClientCurl(window.location.origin, operation, request)
  return {
    request: {
      start: `${operation.method} ${response.url}`,
      body: body === undefined ? undefined : JSON.stringify(body),
    },
    response: { start: response.status, headers: received, body: text },
    copies: { 'Copy as curl': curl, 'Copy response body': text },
  }
}
