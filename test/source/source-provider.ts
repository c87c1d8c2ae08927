import { pino } from 'pino'
import {
  createProvider,
  missing,
  type Provider,
  type ProviderSettings,
  type Source,
} from '../../src/server/index.ts'
import { createScope, newDatabase, type Scope } from '../support/engines.ts'
import { type Answer, type Sent, send } from '../support/http.ts'
import { openKeyServer } from '../support/key-server.ts'
import { makeKey, mintToken, publicUrl, subdomain, validClaims } from '../support/tokens.ts'

export interface SourceProvider {
  readonly provider: Provider
  readonly database: string
  /** Every line that was logged. */
  readonly log: readonly string[]
  mint(path: string): string
  /** Sends a request with a new token to an address. The path may have a prefix that is not a part of the token's. */
  ask(address: string, path: string, sent?: Sent & { readonly prefix?: string }): Promise<Answer>
}

/** A provider with a source, whose database has no data. It is closed with the scope. */
export async function openSourceProvider(
  scope: Scope,
  source: Source,
  { settings = {}, providerUrl = publicUrl }: ProviderChoices = {},
): Promise<SourceProvider> {
  const inner = createScope(scope)
  const key = makeKey('ES256', 'k1')
  const keyServer = await openKeyServer([key.jwk])
  inner.after(keyServer.close)
  const database = await newDatabase(inner)
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const guard = { subdomain, providerUrl, jwksUrl: keyServer.url, database }
  const provider = await createProvider({ source, guard, settings, log })
  inner.after(provider.close)

  const mint = (path: string) => {
    const claims = { ...validClaims(path, Date.now() / 1000), aud: providerUrl + path }
    return mintToken(claims, { alg: key.alg, kid: key.kid, typ: 'JWT' }, key)
  }
  return {
    provider,
    database,
    log: lines,
    mint,
    ask(address, path, { prefix = '', ...sent } = {}) {
      const [pathname = ''] = path.split('?')
      const headers = { authorization: `Bearer ${mint(pathname)}`, ...sent.headers }
      return send(address, prefix + path, { ...sent, headers })
    },
  }
}

interface ProviderChoices {
  readonly settings?: ProviderSettings
  readonly providerUrl?: string
}

export const customerPath = '/auth/v1/customer/c1'
export const accountsPath = '/v1/banking/customer/c1/accounts'
export const balancesPath = '/v1/banking/customer/c1/accounts/balances'

/** The operations that the interface requires, for one customer. */
export const smallSource: Source = {
  async searchCustomers({ email }) {
    return email === 'ana@example.com' ? [{ id: 'c1', name: 'Ana Silva' }] : []
  },
  async listShareableAccounts({ customerId }) {
    return customerId === 'c1' ? [{ id: 'a1', name: 'Everyday' }] : missing('customer')
  },
  async getCustomer({ customerId }) {
    return customerId === 'c1' ? { id: 'c1', name: 'Ana Silva' } : missing('customer')
  },
  async listBankingAccounts({ customerId }) {
    if (customerId !== 'c1') return missing('customer')
    return { items: [{ accountId: 'a1', isOwned: true }], total: 1 }
  },
}
