import type { AccountState } from '../../../contract/account-states.ts'
import type { ChangeReason } from '../../../contract/consent-statuses.ts'
import type { CustomerAccount } from '../account-details.ts'
import type { Amendment, ConsentHistory } from '../consent-history.ts'
import { type Cluster, describeAdded, describeScopes } from '../scopes.ts'
import type { ArrangementChange, StoredArrangement } from '../store.ts'
import { type Html, html } from './html.ts'
import { type Brand, formatDate, formatDateTime, renderItems, renderList } from './layout.ts'
import { areOfOrganisation, countAccounts, renderAccountName } from './steps.ts'

export interface ConsentView {
  readonly arrangement: StoredArrangement
  /** Of the third party. */
  readonly name: string
  readonly history: ConsentHistory
  /** Those that the provider lists; undefined if it does not respond, or refuses. */
  readonly listed: readonly CustomerAccount[] | undefined
}

/** What the customer reads about the scopes of a consent. */
export function describeData(
  { arrangement: { accountIds }, listed = [] }: Pick<ConsentView, 'arrangement' | 'listed'>,
  scopes: readonly string[],
): Cluster[] {
  const shared = new Set(accountIds)
  const accounts = listed.filter(({ id }) => shared.has(id))
  return describeScopes(scopes, areOfOrganisation(accounts))
}

/** Why data of an account cannot be read. The customer does not learn why the provider refuses. */
export function describeUnavailable({
  name,
}: Brand): Readonly<Partial<Record<AccountState, string>>> {
  return {
    restricted: `${name} cannot share it at the moment. For help, contact ${name}.`,
    no_longer_held: `You no longer hold it at ${name}.`,
  }
}

/** The accounts of a consent with their states. Those that the provider does not list have no name. */
export function renderSharedAccounts(
  { arrangement: { accountIds }, history, listed, name }: ConsentView,
  brand: Brand,
): Html {
  if (accountIds.length === 0) return html`None: only data about you.`
  const texts: Readonly<Partial<Record<AccountState, string>>> = {
    ...describeUnavailable(brand),
    removed: `You no longer share it with ${name}.`,
  }
  const names = nameAccounts(listed)
  const named = history.accounts.filter(({ accountId }) => names.has(accountId))
  const unnamed = history.accounts.filter(({ accountId }) => !names.has(accountId))
  const withSince = (text: string | undefined, since: Temporal.Instant) =>
    text !== undefined &&
    html`<span class="detail">${text} Since ${formatDate(since, brand)}.</span>`
  const groups = Map.groupBy(unnamed, ({ state, since }) => `${state} ${formatDate(since, brand)}`)
  return html`${
    !listed &&
    html`<p>${countAccounts(accountIds.length)}. Their names cannot be shown at the moment.</p>`
  }
${renderItems([
  ...named.map(
    ({ accountId, state, since }) => html`${names.get(accountId)}${withSince(texts[state], since)}`,
  ),
  ...[...groups.values()].flatMap(([first, ...others]) => {
    if (!first) return []
    const { state, since } = first
    const isUnexplained = texts[state] === undefined
    if (isUnexplained && !listed) return []
    const count = countAccounts(others.length + 1)
    const text = isUnexplained ? ', not available now' : ''
    return [html`${count}${text}${withSince(texts[state], since)}`]
  }),
])}`
}

interface Event {
  readonly time: Temporal.Instant
  readonly text: Html
}

/** What happened with a consent, in order of time. */
export function renderHistory(consent: ConsentView, brand: Brand): Html {
  const { history, name, listed } = consent
  const names = nameAccounts(listed)
  const nameOne = (id: string) => names.get(id) ?? html`An account`
  const ends = history.changes.filter(({ status }) => status !== 'active')
  const texts: Readonly<Record<Exclude<AccountState, 'removed'>, string>> = {
    available: 'can be shared again',
    closed: 'was closed',
    restricted: `cannot be shared by ${brand.name} for now`,
    no_longer_held: `is no longer held by you at ${brand.name}`,
  }
  const events: Event[] = [
    { time: history.given, text: html`You agreed to share` },
    ...history.amendments.map((amendment) => ({
      time: amendment.time,
      text: renderAmendment(amendment, consent, brand),
    })),
    ...history.accountChanges.map(({ time, accountId, state }) => ({
      time,
      text: html`${nameOne(accountId)}: ${texts[state]}`,
    })),
    ...ends.map((change) => ({
      time: change.time,
      text: html`${describeEnd(change, name, brand)}`,
    })),
  ].sort((a, b) => Temporal.Instant.compare(a.time, b.time))
  return html`<ol class="history">${events.map(
    ({ time, text }) =>
      html`<li><span class="detail">${formatDateTime(time, brand)}</span>${text}</li>`,
  )}</ol>`
}

function renderAmendment(
  { scopes, earlierScopes, until, earlierUntil, ...amendment }: Amendment,
  consent: ConsentView,
  brand: Brand,
): Html {
  const names = nameAccounts(consent.listed)
  const before = describeData(consent, earlierScopes)
  const after = describeData(consent, scopes)
  const listAccounts = (ids: readonly string[]): Html[] => {
    const named = ids.flatMap((id) => names.get(id) ?? [])
    const rest = ids.length - named.length
    return rest === 0 ? named : [...named, html`${countAccounts(rest)} without a name here`]
  }
  const parts: readonly (readonly [string, readonly (Html | string)[]])[] = [
    ['Data added', describeAdded(after, before)],
    ['Data removed', describeAdded(before, after)],
    ['Accounts added', listAccounts(amendment.addedAccountIds)],
    ['Accounts removed', listAccounts(amendment.removedAccountIds)],
    ['End', [`${formatDate(until, brand)} instead of ${formatDate(earlierUntil, brand)}`]],
  ]
  return html`You agreed to a change${renderList(
    parts
      .filter(([, items]) => items.length > 0)
      .map(([label, items]) => html`${label}: ${joinHtml(items)}`),
  )}`
}

/** Names contain commas. */
function joinHtml(items: readonly (Html | string)[]): Html {
  return html`${items.map((item, index) => html`${index > 0 && '; '}${item}`)}`
}

function nameAccounts(listed: readonly CustomerAccount[] = []): ReadonlyMap<string, Html> {
  return new Map(listed.map((account) => [account.id, renderAccountName(account)]))
}

function describeEnd({ reason }: ArrangementChange, name: string, brand: Brand): string {
  const texts: Readonly<Record<ChangeReason, string>> = {
    customer: 'You stopped sharing',
    operator: `${brand.name} stopped sharing`,
    third_party: `${name} stopped the sharing`,
    third_party_removed: `${brand.name} stopped sharing with ${name}`,
    code_replayed: `${brand.name} stopped sharing for security reasons`,
    amended: `You agreed to other terms with ${name}`,
    sharing_ended: 'The agreed time was over',
  }
  return texts[reason]
}
