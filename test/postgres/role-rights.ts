const read = 'select'
const add = 'select insert'
const addAndDelete = 'select insert delete'
const change = 'select insert update'
const changeAndDelete = 'select insert update delete'

const loadRights = {
  account: changeAndDelete,
  balance: changeAndDelete,
  contact: changeAndDelete,
  customer: change,
  entry: changeAndDelete,
  entry_amounts: add,
  entry_texts: add,
  feed: changeAndDelete,
  further_email: addAndDelete,
  feed_batch: addAndDelete,
  holder: changeAndDelete,
  product: changeAndDelete,
  product_summary: changeAndDelete,
  product_version: add,
  restriction: changeAndDelete,
  schema_version: read,
}

/** What each role needs on each table. */
export const rights: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  load: { ...loadRights, last_load: change },
  intake: { ...loadRights, api_client: read, api_token: addAndDelete },
  serve: {
    account: read,
    balance: read,
    contact: read,
    customer: read,
    entry: read,
    entry_amounts: read,
    entry_texts: read,
    further_email: read,
    holder: read,
    replay_purge: 'select update',
    restriction: read,
    schema_version: read,
    token_use: changeAndDelete,
  },
  platform: {
    account_change: changeAndDelete,
    api_client: changeAndDelete,
    api_token: addAndDelete,
    arrangement: changeAndDelete,
    arrangement_change: changeAndDelete,
    artifact: changeAndDelete,
    attempt_limit: changeAndDelete,
    check_run: changeAndDelete,
    consent_flow: changeAndDelete,
    consent_option: addAndDelete,
    consent_secret: add,
    disclosure: changeAndDelete,
    feed: read,
    idempotency: addAndDelete,
    last_load: read,
    outbox: changeAndDelete,
    passcode: changeAndDelete,
    product: changeAndDelete,
    product_draft: changeAndDelete,
    product_summary: changeAndDelete,
    product_version: add,
    schema_version: read,
    signing_key: change,
    third_party: addAndDelete,
  },
}
