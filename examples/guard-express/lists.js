/** The rules of the interface for lists. The guard has checked the parameters, so each one is valid or absent. */

const pageSizeDefault = 25
const historyMonths = 12

/** The body of a page. Its links repeat the filters of the request. */
export function toPage(
  field,
  records,
  { page = 1, 'page-size': size = pageSizeDefault, ...filters },
) {
  const totalRecords = records.length
  const totalPages = Math.ceil(totalRecords / size)
  const number = Number(page)
  const end = number * Number(size)
  const link = (target) =>
    String(new URLSearchParams({ page: target, 'page-size': size, ...filters }))
  return {
    data: { [field]: records.slice(end - Number(size), end) },
    links: {
      ...(totalPages > 0 && { first: link(1), last: link(totalPages) }),
      ...(totalPages > 0 && number > 1 && { prev: link(Math.min(number - 1, totalPages)) }),
      ...(number < totalPages && { next: link(number + 1) }),
    },
    meta: { totalRecords, totalPages },
  }
}

/** Whether an account matches the filters of B1, B2, B5 and B6. */
export function isAccountMatch(
  account,
  { 'open-status': status, 'product-category': category, 'is-owned': owned },
) {
  return (
    (status === undefined || status === 'ALL' || status === account.openStatus) &&
    (category === undefined || category === account.productCategory) &&
    (owned === undefined || owned === String(account.isOwned))
  )
}

/** The query of B3 with its default time window, which its links must repeat: now is later on the next page. */
export function withTimeWindow(query) {
  const times = {}
  for (const name of ['oldest-time', 'newest-time']) {
    // Clients may leave the plus sign of a UTC offset unescaped, which Express decodes as a space.
    if (query[name] !== undefined) times[name] = query[name].replace(' ', '+')
  }
  const { 'newest-time': newest = Temporal.Now.instant().toString() } = times
  const offset = /[+-]\d\d:\d\d$/.exec(newest)?.[0] ?? 'UTC'
  const start = Temporal.Instant.from(newest)
    .toZonedDateTimeISO(offset)
    .subtract({ months: historyMonths })
  return { 'oldest-time': start.toInstant().toString(), ...query, ...times, 'newest-time': newest }
}

/** The transactions in the time window of a query that match its other filters, newest first. */
export function listTransactions(transactions, query) {
  const { 'min-amount': min, 'max-amount': max, text = '' } = query
  const oldest = Temporal.Instant.from(query['oldest-time'])
  const newest = Temporal.Instant.from(query['newest-time'])
  return transactions
    .map((transaction) => ({ transaction, time: effectiveTime(transaction) }))
    .filter(
      ({ transaction: { amount, description, reference }, time }) =>
        Temporal.Instant.compare(time, oldest) >= 0 &&
        Temporal.Instant.compare(time, newest) <= 0 &&
        (min === undefined || toUnits(amount) >= toUnits(min)) &&
        (max === undefined || toUnits(amount) <= toUnits(max)) &&
        (contains(description, text) || contains(reference, text)),
    )
    .sort(
      (a, b) =>
        Temporal.Instant.compare(b.time, a.time) ||
        compareText(a.transaction.transactionId, b.transaction.transactionId),
    )
    .map(({ transaction }) => transaction)
}

function effectiveTime({ postingDateTime, executionDateTime }) {
  return Temporal.Instant.from(postingDateTime ?? executionDateTime)
}

/** A decimal as a whole number, because a floating-point number would lose digits. An amount has up to 32 decimals. */
function toUnits(decimal) {
  const [whole, fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(32, '0'))
}

function contains(value = '', text) {
  return value.toLowerCase().includes(text.toLowerCase())
}

function compareText(a, b) {
  return a < b ? -1 : a > b ? 1 : 0
}
