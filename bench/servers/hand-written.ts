import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import express, { type Request, type Response } from 'express'
import jsonwebtoken from 'jsonwebtoken'
import jwksRsa from 'jwks-rsa'

/**
 * What a team could write in a day to serve B3: common packages, used tokens in an in-memory set, `count(*)` and
 * `offset`, objects through JSON. It reads the same SQLite file as Holdfast and returns the same records. Unlike
 * Holdfast, it has no replay protection across restarts, no descriptive errors and no consistent snapshot.
 */
const [, , databasePath = '', jwksUri = '', audience = '', subdomain = ''] = process.argv

const transactionList = 1
const pageSizeDefault = 25

const database = new DatabaseSync(databasePath, { readOnly: true })
const from = `from customer
  join holder on holder.customer = customer.number
  join account on account.number = holder.account
  join entry on entry.list = account.number * 8 + ${transactionList}
  where customer.id = :customer and account.id = :account
    and entry.time between :oldest and :newest
    and (:text is null or instr(entry.description, :text) > 0 or instr(entry.reference, :text) > 0)
    and (:min is null or cast(entry.record ->> 'amount' as real) >= :min)
    and (:max is null or cast(entry.record ->> 'amount' as real) <= :max)`
const count = database.prepare(`select count(*) as total ${from}`)
const page = database.prepare(
  `select entry.record ${from} order by entry.time desc limit :limit offset :offset`,
)

const keys = jwksRsa({ jwksUri, cache: true, rateLimit: true })
const used = new Set<string>()

const app = express()
app.use(express.json())
app.get(
  '/v1/banking/customer/:customerId/accounts/:accountId/transactions',
  async (request, response) => {
    if (!(await isAllowed(request))) {
      response.status(401).json({ error: 'Unauthorized' })
      return
    }
    sendPage(request, response)
  },
)

async function isAllowed(request: Request): Promise<boolean> {
  try {
    const token = request.get('authorization')?.replace(/^Bearer /, '') ?? ''
    const kid = jsonwebtoken.decode(token, { complete: true })?.header.kid
    const key = await keys.getSigningKey(kid)
    const claims = jsonwebtoken.verify(token, key.getPublicKey(), {
      algorithms: ['ES256', 'PS256'],
      issuer: subdomain,
      subject: subdomain,
      audience: audience + request.path,
    })
    if (typeof claims === 'string' || !claims.jti || used.has(claims.jti)) return false
    used.add(claims.jti)
    return true
  } catch {
    return false
  }
}

function sendPage(request: Request<{ customerId: string; accountId: string }>, response: Response) {
  const number = (name: string) =>
    request.query[name] === undefined ? null : Number(request.query[name])
  const size = number('page-size') ?? pageSizeDefault
  const pageNumber = number('page') ?? 1
  const newest = new Date(String(request.query['newest-time'] ?? new Date().toISOString()))
  const yearBefore = new Date(newest)
  yearBefore.setUTCFullYear(newest.getUTCFullYear() - 1)
  const oldest = new Date(String(request.query['oldest-time'] ?? yearBefore.toISOString()))

  const parameters = {
    customer: request.params.customerId,
    account: request.params.accountId,
    oldest: BigInt(oldest.getTime()) * 1_000_000n,
    newest: BigInt(newest.getTime()) * 1_000_000n,
    text: request.query['text'] === undefined ? null : String(request.query['text']).toLowerCase(),
    min: number('min-amount'),
    max: number('max-amount'),
  }
  const totalRecords = Number(count.get(parameters)?.['total'])
  const totalPages = Math.ceil(totalRecords / size)
  const rows = page.all({ ...parameters, limit: size, offset: (pageNumber - 1) * size })
  const transactions = rows.map(({ record }) => JSON.parse(String(record)) as object)
  const link = (to: number) =>
    `page=${to}&page-size=${size}&oldest-time=${oldest.toISOString()}&newest-time=${newest.toISOString()}`
  response.json({
    data: { transactions },
    links: {
      first: link(1),
      ...(pageNumber > 1 && { prev: link(pageNumber - 1) }),
      ...(pageNumber < totalPages && { next: link(pageNumber + 1) }),
      last: link(totalPages),
    },
    meta: { totalRecords, totalPages },
  })
}

const server = app.listen(0, '127.0.0.1', () => {
  console.log(
    `hand-written server ready on http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  )
})
process.once('SIGTERM', () => process.exit())
