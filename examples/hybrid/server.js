import { readFileSync } from 'node:fs'
import express from 'express'
import { isAccountMatch, listTransactions, toPage, withTimeWindow } from '../guard-express/lists.js'
import { balanceOf, transactionsOf } from './ledger.js'

/**
 * Serves balances and transactions as they are now. Only the guard can reach it, so it checks no token and no parameter.
 * It must find the same customers and accounts as the guard, which has them from the same file.
 */
const lines = readFileSync(new URL('accounts.ndjson', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
const customerIds = new Set(
  lines.filter(({ type }) => type === 'customer').map(({ record }) => record.id),
)
const accounts = lines.filter(({ type }) => type === 'banking.account')

const app = express()
app.use(express.json({ limit: '1mb' }))

app.post('/v1/banking/customer/:customerId/accounts/balances', (request, response) => {
  const { params, query, body } = request
  const own = accountsOf(params.customerId)
  const named = [...new Set(body.data.accountIds)].map(
    (id) => own.get(id) ?? fail(422, 'Account in query not found'),
  )
  const matching = named.filter((account) => isAccountMatch(account, query))
  const balances = matching.map(({ accountId }) => balanceOf(accountId))
  response.json(toPage('balances', balances, query))
})

app.get(
  '/v1/banking/customer/:customerId/accounts/:accountId/transactions',
  ({ params, query }, response) => {
    const { accountId } = findAccount(params)
    const window = withTimeWindow(query)
    const records = listTransactions(transactionsOf(accountId), window)
    response.json(toPage('transactions', records, window))
  },
)

app.get('/customer/:customerId/accounts/:accountId/balances', ({ params }, response) => {
  const { accountId, currentBalance, availableBalance } = balanceOf(findAccount(params).accountId)
  response.json({
    account_id: accountId,
    current: Number(currentBalance),
    available: Number(availableBalance),
    currency: 'AUD',
  })
})

app.use((error, _request, response, _next) => {
  const { status = 500, message } = error
  response.status(status).json({ error: status < 500 ? message : 'Internal error' })
})

/** The accounts that a customer can see, by id, with this customer's ownership. */
function accountsOf(id) {
  if (!customerIds.has(id)) fail(404, 'Customer not found')
  const held = accounts.flatMap(({ holders, record }) =>
    holders
      .filter(({ customerId }) => customerId === id)
      .map(({ isOwned }) => [record.accountId, { ...record, isOwned }]),
  )
  return new Map(held)
}

function findAccount({ customerId, accountId }) {
  return accountsOf(customerId).get(accountId) ?? fail(404, 'Account not found')
}

function fail(status, message) {
  throw Object.assign(new Error(message), { status })
}

const [port = '9000'] = process.argv.slice(2)
app.listen(Number(port), '127.0.0.1', (error) => {
  if (error) throw error
  console.log(`ledger on http://127.0.0.1:${port}`)
})
