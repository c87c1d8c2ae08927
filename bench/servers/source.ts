import { readFileSync } from 'node:fs'
import { createProvider, missing } from '../../src/server/index.ts'

/** A provider in a program of its own, whose source returns one page from memory. */
const [pageFile = '', database = '', jwksUrl = '', providerUrl = '', subdomain = ''] =
  process.argv.slice(2)
const { data, meta } = JSON.parse(readFileSync(pageFile, 'utf8'))
const page = { items: data.transactions, total: meta.totalRecords }

const provider = await createProvider({
  source: {
    listBankingTransactions: async () => page,
    searchCustomers: async () => [],
    listShareableAccounts: async () => [],
    getCustomer: async () => missing('customer'),
  },
  guard: { subdomain, providerUrl, jwksUrl, database, create: true },
  settings: { port: 0 },
})
console.log(`source ready on ${await provider.listen()}`)
process.once('SIGTERM', () => process.exit())
