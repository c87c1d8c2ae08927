import type { ExplorerResult } from '../records/explorer.ts'

export const explorerCall = {
  operation: 'listBankingTransactions',
  params: { customerId: 'cust-1', accountId: 'acc-4711' },
  query: { 'page-size': 25, text: 'groceries' },
}

export const explorerResult: ExplorerResult = {
  request: {
    method: 'GET',
    url: 'https://bank.example/v1/banking/customer/cust-1/accounts/acc-4711/transactions?page-size=25&text=groceries',
    headers: [
      { name: 'accept', value: 'application/json' },
      { name: 'authorization', value: 'Bearer …' },
    ],
  },
  response: {
    status: 200,
    headers: [{ name: 'content-type', value: 'application/json; charset=utf-8' }],
    body: '{"data":{"transactions":[]},"links":{},"meta":{"totalRecords":0,"totalPages":0}}',
  },
  provider: {
    providerUrl: 'https://bank.example',
    resourceUrl: 'https://bank.example',
    subdomain: 'bank',
  },
  durationMs: 4.2,
}
