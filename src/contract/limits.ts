/** What the interface bounds, and the bounds we set where it sets none (docs/decisions/0010, 0013, 0021). */

export const pageSizeDefault = 25
export const pageSizeMax = 1000

/** Of lists that anybody may read without a token. */
export const publicPageSizeMax = 100

/** The longest record that is stored, in bytes of JSON. Of a product, without its id and its time. */
export const recordBytesMax = 256 * 1024

/** The same for records of which a page may have a thousand: transactions, payments, debits, invoices, billing. */
export const entryBytesMax = 64 * 1024

/** How many accounts one request body may name. */
export const accountIdsMax = 1000

export const idLengthMax = 256

/** The longest e-mail address that mail can carry: 64 before the @, 255 after it. */
export const emailLengthMax = 320

/** The longest text that B3 is asked to look for. */
export const searchTextLengthMax = 1000

/** The longest Idempotency-Key that P1 takes. */
export const idempotencyKeyLengthMax = 255

/** How many errors of one product, or of one line of a load, are reported. */
export const problemsMax = 50

/** How long a token of an API client is good, in seconds. */
export const clientTokenSeconds = 900

/** How far back B3, E4 and E5 look when no lower bound is given. */
export const historyMonthsDefault = 12

/** How far back E3 looks when no lower bound is given. */
export const invoiceMonthsDefault = 24
