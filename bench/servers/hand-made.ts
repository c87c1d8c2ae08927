import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import express, { type Request, type Response } from 'express'
import jsonwebtoken from 'jsonwebtoken'
import jwksRsa from 'jwks-rsa'

/**
 * What a team would write in a day to serve B3: the usual packages, a set of used tokens in memory, a count
 * and an offset, objects through JSON. It reads the same SQLite file as Holdfast and answers with the same
 * records, and leaves out what Holdfast does besides: tokens used once even over a restart, errors in
 * sentences, an account that is read in one state of the data.
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
    and (:least is null or cast(entry.record ->> 'amount' as real) >= :least)
    and (:most is null or cast(entry.record ->> 'amount' as real) <= :most)`
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
  async (ask, answer) => {
    if (!(await isAllowed(ask))) {
      answer.status(401).json({ error: 'Unauthorized' })
      return
    }
    answerPage(ask, answer)
  },
)

async function isAllowed(ask: Request): Promise<boolean> {
  try {
    const token = ask.get('authorization')?.replace(/^Bearer /, '') ?? ''
    const kid = jsonwebtoken.decode(token, { complete: true })?.header.kid
    const key = await keys.getSigningKey(kid)
    const claims = jsonwebtoken.verify(token, key.getPublicKey(), {
      algorithms: ['ES256', 'PS256'],
      issuer: subdomain,
      subject: subdomain,
      audience: audience + ask.path,
    })
    if (typeof claims === 'string' || !claims.jti || used.has(claims.jti)) return false
    used.add(claims.jti)
    return true
  } catch {
    return false
  }
}

function answerPage(ask: Request<{ customerId: string; accountId: string }>, answer: Response) {
  const number = (name: string) => (ask.query[name] === undefined ? null : Number(ask.query[name]))
  const size = number('page-size') ?? pageSizeDefault
  const at = number('page') ?? 1
  const newest = new Date(String(ask.query['newest-time'] ?? new Date().toISOString()))
  const yearBefore = new Date(newest)
  yearBefore.setUTCFullYear(newest.getUTCFullYear() - 1)
  const oldest = new Date(String(ask.query['oldest-time'] ?? yearBefore.toISOString()))

  const wanted = {
    customer: ask.params.customerId,
    account: ask.params.accountId,
    oldest: BigInt(oldest.getTime()) * 1_000_000n,
    newest: BigInt(newest.getTime()) * 1_000_000n,
    text: ask.query['text'] === undefined ? null : String(ask.query['text']).toLowerCase(),
    least: number('min-amount'),
    most: number('max-amount'),
  }
  const totalRecords = Number(count.get(wanted)?.['total'])
  const totalPages = Math.ceil(totalRecords / size)
  const rows = page.all({ ...wanted, limit: size, offset: (at - 1) * size })
  const transactions = rows.map(({ record }) => JSON.parse(String(record)) as object)
  const link = (to: number) =>
    `page=${to}&page-size=${size}&oldest-time=${oldest.toISOString()}&newest-time=${newest.toISOString()}`
  answer.json({
    data: { transactions },
    links: {
      first: link(1),
      ...(at > 1 && { prev: link(at - 1) }),
      ...(at < totalPages && { next: link(at + 1) }),
      last: link(totalPages),
    },
    meta: { totalRecords, totalPages },
  })
}

const server = app.listen(0, '127.0.0.1', () => {
  console.log(`hand-made ready on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => process.exit())
