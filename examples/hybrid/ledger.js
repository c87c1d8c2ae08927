/** The ledger of a small bank: five years of entries up to today. The data is invented. */

const today = Temporal.Now.plainDateISO('UTC')

/** Amounts are cents; a debit is negative. */
const entries = Array.from({ length: 60 }, (_, month) => [
  // The nightly batch posts several at the same time.
  post('A-100', month, '14:00', 'Salary Example Ltd', 612_000),
  post('A-100', month, '14:00', 'Home loan repayment', -210_000, `LOAN-${month}`),
  post('A-100', month, '21:40', 'Example Grocer', -4_005 - ((month * 377) % 6_000)),
  post('A-300', month, '14:00', 'Repayment', 210_000, `LOAN-${month}`),
  post('A-400', month, '03:20', 'Example Books', -1_095 - month),
])
  .flat()
  .concat({
    accountId: 'A-100',
    transactionId: 'A-100-pending',
    status: 'PENDING',
    description: 'Example Cafe',
    executionDateTime: `${today}T00:00:00Z`,
    cents: -490,
  })

export function transactionsOf(id) {
  return entries
    .filter(({ accountId }) => accountId === id)
    .map(({ cents, ...entry }) => ({ ...entry, amount: toAmount(cents) }))
}

/** Pending entries are not booked yet, but their amounts are not available any more. */
export function balanceOf(accountId) {
  const own = entries.filter((entry) => entry.accountId === accountId)
  const booked = own.filter(({ status }) => status === 'POSTED')
  return {
    accountId,
    currentBalance: toAmount(sumCents(booked)),
    availableBalance: toAmount(sumCents(own)),
  }
}

function post(accountId, monthsAgo, time, description, cents, reference) {
  const day = today.subtract({ months: monthsAgo, days: 1 })
  return {
    accountId,
    transactionId: `${accountId}-${day}-${description.split(' ', 1)}`,
    status: 'POSTED',
    description,
    reference,
    postingDateTime: `${day}T${time}:00Z`,
    cents,
  }
}

function sumCents(entries) {
  return entries.reduce((sum, { cents }) => sum + cents, 0)
}

function toAmount(cents) {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
