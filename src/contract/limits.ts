/** The limits of the interface, and Holdfast's own where it sets none (docs/decisions/0010, 0013, 0021). */

/** The records on a page of a list, unless the request says otherwise, and at most. */
export const pageSizeDefault = 25
export const pageSizeMax = 1000

/** For lists that need no token. */
export const publicPageSizeMax = 100

/** The largest record, in bytes of JSON. For a product, without `product_id` and `last_updated`. */
export const recordBytesMax = 256 * 1024

/** The largest record, in bytes of JSON, of the types that appear up to 1000 per page: transactions, payments, direct debits, invoices, billing. */
export const entryBytesMax = 64 * 1024

/** The maximum number of account ids in a request body. */
export const accountIdsMax = 1000

/** The longest id. */
export const idLengthMax = 256

/** The longest valid e-mail address: 64 characters before the @, 255 after it. */
export const emailLengthMax = 320

/** The further e-mail addresses of a customer, at most. */
export const customerEmailsMax = 100

/** The longest search text of B3. */
export const searchTextLengthMax = 1000

/** How much of the name and the brand of a product its summary contains (P7). */
export const summaryTextLengthMax = 200

/** The longest cursor of S1, S4, S5 and S7. */
export const cursorLengthMax = 512

/** How many rejected requests O3 lists, and how many a process stores. */
export const rejectionsMax = 100
export const storedRejectionsMax = 2000

/** How many refusals of each circumstance a process stores. */
export const storedRefusalsMax = 400

/** How many runs of checks are stored, with their reports. */
export const checkRunsMax = 10

/** The largest page of S4: each flow has many steps. */
export const flowPageSizeMax = 100

/** The longest Idempotency-Key that P1 accepts. */
export const idempotencyKeyLengthMax = 255

/** How many errors are reported per product, and per line of a load. */
export const problemsMax = 50

/** The largest batch of a feed, in bytes of decoded lines. */
export const batchBytesMax = 16 * 1024 * 1024

/** The longest line of a batch, of which a record is at most half. Parsing a longer one would delay other requests. */
export const batchLineBytesMax = 2 * recordBytesMax

/** How deep the objects and lists of a line or of a request body may be nested: parsers are slow in deep ones. */
export const nestingMax = 64

/** How many errors the response to a batch contains. */
export const batchErrorsMax = 1000

/** After this many errors, a batch is not read further, so that it is answered in time. */
export const batchErrorsFoundMax = 10_000

/** The lifetime of an API client's token. */
export const clientTokenSeconds = 900

/** The lifetime of the session of a browser: a working day. */
export const sessionSeconds = 8 * 3600

/** A session that is not used for so long has ended. */
export const sessionIdleSeconds = 30 * 60

/** How many sessions a person or an API client has at most. The one used longest ago ends first. */
export const sessionsPerUserMax = 20

/** How many sessions T7 lists. */
export const listedSessionsMax = 500

/** The time window of B3, E4 and E5 without a lower bound. */
export const historyMonthsDefault = 12

/** The time window of E3 without a lower bound. */
export const invoiceMonthsDefault = 24

/** How many reasons are kept and listed for a product that cannot be published. */
export const publicationFaultsMax = 10
