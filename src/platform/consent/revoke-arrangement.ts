import { errors, type Provider } from 'oidc-provider'
import { CdsError } from '../cds/errors.ts'
import { authenticateClient } from './client-assertion.ts'
import type { ClientKeys } from './client-keys.ts'
import { revocationPath } from './paths.ts'
import type { ConsentStore } from './store.ts'

const parameter = 'cdr_arrangement_id'
const idLengthMax = 100

interface RevocationOptions {
  readonly store: ConsentStore
  readonly clock: () => Temporal.Instant
  readonly clientKeys: ClientKeys
  readonly readProvider: () => Promise<Provider>
}

/** Answers a third party that withdraws an arrangement of its own. May throw a `CdsError`. */
export async function answerRevocation(
  options: RevocationOptions,
  form: URLSearchParams,
): Promise<{ readonly status: number; readonly body?: object }> {
  try {
    await revoke(options, form)
    return { status: 204 }
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error
    const { status, error: code, error_description: description } = error
    return { status, body: { error: code, error_description: description } }
  }
}

async function revoke(
  { store: { arrangements }, clock, clientKeys, readProvider }: RevocationOptions,
  form: URLSearchParams,
): Promise<void> {
  const provider = await readProvider()
  const url = provider.issuer + revocationPath
  const thirdPartyId = await authenticateClient(provider, clientKeys, url, form)
  const id = form.get(parameter)
  if (id === null) throw new CdsError('missingField', parameter)
  const arrangement = await arrangements.find(id, clock())
  const isOwn = arrangement?.thirdPartyId === thirdPartyId
  if (isOwn && (await arrangements.withdraw(id, 'third_party', clock()))) return
  throw new CdsError('invalidArrangement', id.slice(0, idLengthMax))
}
