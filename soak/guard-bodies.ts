/** Sizes of lists. The guard sends small responses in one piece, and streams large ones. */
export const listSizes = [1, 30, 300, 3000] as const

/** Above 256 KiB, the guard streams a response, and can only close the connection if the upstream fails. */
export const streamedMin = 256 * 1024

export const transactionsPath = (customerId: string, size: number) =>
  `/v1/banking/customer/${customerId}/accounts/a${size}/transactions`

export const balancesPath = (customerId: string) =>
  `/v1/banking/customer/${customerId}/accounts/balances`

/** The response of the upstream, which depends on the whole request: that to another request is a different one. */
export function createBody(path: string, body: string): string {
  const [, customerId, size] = /customer\/([^/]+)\/accounts\/a(\d+)\/transactions$/.exec(path) ?? []
  if (customerId !== undefined) {
    const transactions = Array.from({ length: Number(size) }, (_, index) => ({
      accountId: `a${size}`,
      transactionId: `t${index}`,
      status: 'POSTED',
      description: `Transaction ${index} of ${customerId}`,
      postingDateTime: '2026-06-01T00:00:00Z',
      amount: `-${index}.50`,
    }))
    return createPage({ transactions }, transactions.length)
  }
  const { data } = JSON.parse(body) as { readonly data: { readonly accountIds: readonly string[] } }
  const balances = data.accountIds.map((accountId) => ({
    accountId,
    currentBalance: `${accountId.length}.00`,
    availableBalance: '0.00',
  }))
  return createPage({ balances }, balances.length)
}

function createPage(data: object, totalRecords: number): string {
  const links = { first: 'page=1', last: 'page=1' }
  return JSON.stringify({ data, links, meta: { totalRecords, totalPages: 1 } })
}
