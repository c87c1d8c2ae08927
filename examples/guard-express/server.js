import express from 'express'
import {
  accounts,
  balances,
  customers,
  directDebits,
  scheduledPayments,
  transactions,
} from './bank.js'
import { isAccountMatch, listTransactions, toPage, withTimeWindow } from './lists.js'

/**
 * The service of a bank: the operations of the interface over its own data. It checks no token and no parameter, because
 * only the guard can reach it.
 */
const app = express()
app.use(express.json({ limit: '1mb' }))

const banking = '/v1/banking/customer/:customerId'
const account = `${banking}/accounts/:accountId`
const consent = '/auth/v1/customer'

app.get(`${banking}/accounts`, ({ params, query }, response) => {
  const own = accountsOf(params.customerId).filter((each) => isAccountMatch(each, query))
  response.json(toPage('accounts', own, query))
})

app.post(`${banking}/accounts/balances`, (request, response) => {
  const records = matchingAccounts(request).map(
    ({ accountId }) => balanceOf(accountId) ?? fail(422, 'Balance of account in query not found'),
  )
  response.json(toPage('balances', records, request.query))
})

app.get(`${account}/transactions`, ({ params, query }, response) => {
  const { accountId } = findAccount(params)
  const own = transactions.filter((each) => each.accountId === accountId)
  const window = withTimeWindow(query)
  response.json(toPage('transactions', listTransactions(own, window), window))
})

app.get(`${account}/payments/scheduled`, ({ params, query }, response) => {
  const { accountId } = findAccount(params)
  response.json(toPage('scheduledPayments', paymentsFrom(accountId), query))
})

app.post(`${banking}/payments/scheduled`, (request, response) => {
  const records = matchingAccounts(request).flatMap(({ accountId }) => paymentsFrom(accountId))
  response.json(toPage('scheduledPayments', records, request.query))
})

app.post(`${banking}/accounts/direct-debits`, (request, response) => {
  const records = matchingAccounts(request).flatMap(({ accountId }) =>
    directDebits.filter((each) => each.accountId === accountId),
  )
  response.json(toPage('directDebitAuthorisations', records, request.query))
})

app.get('/fdx/v6/customer/:customerId/accounts/:accountId/contact', ({ params }, response) => {
  const { accountId } = findAccount(params)
  const { holders, accountOwnership } = accounts.find((each) => each.accountId === accountId)
  const owner = accountOwnership === 'ONE_PARTY' ? 'SOLE_OWNER' : 'PRIMARY_JOINT'
  const people = customers.filter(({ id }) => Object.hasOwn(holders, id))
  response.json({
    holders: people.map(({ id, givenName, familyName }) => ({
      relationship: holders[id] ? owner : 'AUTHORIZED_USER',
      name: { first: givenName, last: familyName },
    })),
    emails: people.map(({ email }) => email),
    addresses: people.map(({ address }) => ({
      line1: address.streetAddress,
      city: address.locality,
      region: address.region,
      postalCode: address.postalCode,
      country: address.country,
    })),
    telephones: people.map(({ phoneNumber }) => ({
      type: 'CELL',
      country: phoneNumber.slice(1, 3),
      number: phoneNumber.slice(3),
    })),
  })
})

app.post(`${consent}/search`, ({ body }, response) => {
  const found = customers.filter(({ email }) => email === body.email.toLowerCase())
  response.json({ data: found.map(({ id, name, phoneNumber }) => ({ id, name, phoneNumber })) })
})

app.get(`${consent}/:customerId/accounts`, ({ params }, response) => {
  const own = accountsOf(params.customerId)
  response.json({
    accounts: own.map(({ accountId, productName, productCategory, displayName }) => ({
      id: accountId,
      name: productName,
      type: productCategory,
      displayName,
    })),
  })
})

app.get(`${consent}/:customerId`, ({ params }, response) => {
  response.json(findCustomer(params.customerId))
})

app.get('/customer/:customerId/accounts/:accountId/balances', ({ params }, response) => {
  const { accountId, currentBalance, availableBalance } =
    balanceOf(findAccount(params).accountId) ?? fail(404, 'Balance not found')
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

function fail(status, message) {
  throw Object.assign(new Error(message), { status })
}

function findCustomer(customerId) {
  return customers.find(({ id }) => id === customerId) ?? fail(404, 'Customer not found')
}

/** The accounts that a customer can see, as the interface shows them to this customer. */
function accountsOf(customerId) {
  const { id } = findCustomer(customerId)
  return accounts
    .filter(({ holders }) => Object.hasOwn(holders, id))
    .map(({ holders, ...record }) => ({ ...record, isOwned: holders[id] }))
}

function findAccount({ customerId, accountId }) {
  const own = accountsOf(customerId)
  return own.find((each) => each.accountId === accountId) ?? fail(404, 'Account not found')
}

/** The accounts that the body names, in its order, which match the filters in the query. */
function matchingAccounts({ params, query, body }) {
  const own = accountsOf(params.customerId)
  return [...new Set(body.data.accountIds)]
    .map(
      (id) =>
        own.find(({ accountId }) => accountId === id) ?? fail(422, 'Account in query not found'),
    )
    .filter((each) => isAccountMatch(each, query))
}

function balanceOf(id) {
  return balances.find(({ accountId }) => accountId === id)
}

function paymentsFrom(accountId) {
  return scheduledPayments.filter(({ from }) => from.accountId === accountId)
}

const [port = '9000'] = process.argv.slice(2)
app.listen(Number(port), '127.0.0.1', (error) => {
  if (error) throw error
  console.log(`bank on http://127.0.0.1:${port}`)
})
