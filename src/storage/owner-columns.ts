const accountTexts = ['category', 'is_owned_text', 'shareable', 'head', 'tail', 'detail']

/** What a load stores of an account, except the id. */
export const accountColumns = ['kind', 'is_open', 'created', ...accountTexts]

/** What a load stores of a customer, except the id and the digests. */
export const customerColumns = ['email', 'match', 'emails', 'record']

const setNull = (columns: readonly string[]) => columns.map((name) => `${name} = null`).join(', ')

/** Of a removed account or customer. The row remains, for what refers to it. */
export const clearAccount = `kind = 0, ${setNull(accountTexts)}`
export const clearCustomer = setNull(customerColumns)
