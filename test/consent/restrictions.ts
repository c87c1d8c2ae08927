import { refusalHeader } from '../../src/contract/refusals.ts'
import type { HttpApp } from '../../src/http/app.ts'

type Subject = { readonly accountId: string } | { readonly customerId: string }
type Reason = 'harm' | 'blocked' | 'suspended'

export type Restrictions = ReturnType<typeof openRestrictions>

/** Restrictions of a provider, which answers like the one of Holdfast. */
export function openRestrictions() {
  const reasons = new Map<string, Reason>()
  const isListed = (record: Record<string, string>) =>
    !reasons.has(`account ${record['accountId'] ?? record['id']}`)
  return {
    async set(subject: Subject, reason: Reason): Promise<void> {
      reasons.set(toKey(subject), reason)
    },
    async end(subject: Subject): Promise<void> {
      reasons.delete(toKey(subject))
    },
    prepare(app: HttpApp): void {
      app.addHook('preHandler', async (request, reply) => {
        const { customerId, accountId } = (request.params ?? {}) as Record<string, string>
        const { data } = (request.body ?? {}) as { data?: { accountIds?: readonly string[] } }
        const named = [
          ['Customer', 404, `customer ${customerId}`],
          ['Account', 404, `account ${accountId}`],
          ...(data?.accountIds ?? []).map(
            (id) => ['Account in query', 422, `account ${id}`] as const,
          ),
        ] as const
        const found = named.find(([, , key]) => reasons.has(key))
        if (!found) return undefined
        const [name, status, key] = found
        reply.status(reasons.get(key) === 'harm' ? 403 : status).header(refusalHeader, 'true')
        return reply.type('application/json').send(JSON.stringify({ error: `${name} not found` }))
      })
      app.addHook('onSend', async ({ routeOptions }, reply, payload) => {
        const { ref = '' } = routeOptions.config.operation ?? {}
        if (reply.statusCode !== 200 || !['B1', 'C2'].includes(ref)) return payload
        const body = JSON.parse(String(payload))
        if (ref === 'C2') return JSON.stringify({ accounts: body.accounts.filter(isListed) })
        const accounts = body.data.accounts.filter(isListed)
        const meta = { ...body.meta, totalRecords: accounts.length }
        return JSON.stringify({ ...body, data: { accounts }, meta })
      })
    },
  }
}

function toKey(subject: Subject): string {
  return 'accountId' in subject ? `account ${subject.accountId}` : `customer ${subject.customerId}`
}
