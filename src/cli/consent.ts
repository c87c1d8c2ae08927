import { Command, Option } from 'commander'
import { escapeInvisible } from '../contract/characters.ts'
import { type ConsentStatus, consentStatuses } from '../contract/consent-statuses.ts'
import type { Actor } from '../contract/index.ts'
import {
  type Amendment,
  type ConsentHistory,
  formatHistory,
  readConsentHistory,
} from '../platform/consent/consent-history.ts'
import { listArrangements } from '../platform/consent/list-arrangements.ts'
import { formatMessages } from '../platform/consent/outbox/format-messages.ts'
import type { StoredMessage } from '../platform/consent/outbox/store.ts'
import type { ConsentStore, StoredArrangement } from '../platform/consent/store.ts'
import { readThirdPartyNames } from '../platform/consent/third-party-names.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { readNow, type StoreFlags, withStore } from './common/database.ts'
import { addSubcommands, createSubcommand, idArgument } from './common/subcommands.ts'
import { flowsCommand } from './consent/flows.ts'

interface Flags extends StoreFlags {
  readonly json?: true
}

interface ListFlags extends Flags {
  readonly customer?: string
  readonly thirdParty?: string
  readonly status?: ConsentStatus
}

export function consentCommand(terminal: Terminal): Command {
  const command = new Command('consent')
    .summary('list, show and withdraw the consents of customers')
    .description(
      'Shows which data customers share with third parties, and stops the sharing. Customers can do the same at /consents of the platform.',
    )
    .addHelpText(
      'after',
      `
A consent is active until it is withdrawn or its time is over. Its ID is the
cdr_arrangement_id that the third party received. Consents are kept for seven
years after their end. Names, addresses and shared data are not stored: the
data provider has them.

Example:
  holdfast consent list --customer cust-1 --status active
  holdfast consent show ID
  holdfast consent withdraw ID
  holdfast consent flows --state failed`,
    )
  return addSubcommands(command, terminal, listCommand, showCommand, withdrawCommand, flowsCommand)
}

function jsonOption(): Option {
  return new Option('--json', 'print JSON')
}

function listCommand(terminal: Terminal): Command {
  return createSubcommand('list', 'list consents, those that changed last at the end')
    .option('--customer <id>', 'only consents of this customer')
    .option('--third-party <id>', 'only consents for this third party (see holdfast client list)')
    .addOption(
      new Option('--status <status>', 'only consents with this status').choices(consentStatuses),
    )
    .addOption(jsonOption())
    .addHelpText('after', '\nExample: holdfast consent list --status active')
    .action((flags: ListFlags) =>
      withStore('openConsentStore', flags, terminal, async (store) => {
        const now = await readNow(store)
        const names = await readThirdPartyNames(store)
        const { customer: customerId, thirdParty: thirdPartyId, status, json } = flags
        const selected = { customerId, thirdPartyId, status }
        for await (const each of listArrangements(store.arrangements, selected, now)) {
          terminal.out(json ? `${JSON.stringify(toJson(each))}\n` : formatLine(each, names))
        }
      }),
    )
}

function showCommand(terminal: Terminal): Command {
  return createSubcommand(
    'show',
    'show a consent with its accounts, their states, its history and messages about it',
  )
    .addArgument(idArgument('consent list'))
    .addOption(jsonOption())
    .action((id: string, flags: Flags) =>
      withStore('openConsentStore', flags, terminal, async (store) => {
        const found = await find(store, id)
        const history = await readConsentHistory(store, found)
        const messages = (await store.outbox.listMessages([id])).get(id) ?? []
        if (flags.json) {
          const all = {
            ...toJson(found),
            ...formatHistory(history),
            messages: formatMessages(messages),
          }
          terminal.out(`${JSON.stringify(all, null, 2)}\n`)
          return
        }
        const names = await readThirdPartyNames(store)
        const rows = [
          ['consent', found.id],
          ['status', found.status],
          ['third party', `${found.thirdPartyId}  ${nameOf(found, names)}`],
          ['customer', found.customerId],
          ['from', formatTime(found.from)],
          ['until', formatTime(found.until)],
          ...toRows('scopes', found.scopes),
          ...toRows(
            'accounts',
            history.accounts.map(
              ({ accountId, state, reason, since }) =>
                `${accountId}  ${state} since ${formatTime(since)} (${reason})`,
            ),
          ),
          ...toRows('changes', listEvents(history)),
          ...toRows(
            'disclosed',
            history.disclosures.map(
              ({ scope, first, last }) => `${formatTime(first)} to ${formatTime(last)}  ${scope}`,
            ),
          ),
          ...toRows('messages', messages.map(formatMessage)),
        ]
        for (const [label = '', value = ''] of rows) {
          terminal.out(`${label.padEnd(labelWidth)}${escapeInvisible(value)}\n`)
        }
      }),
    )
}

/** Who withdraws with this command, in the history of a consent. */
const operator: Actor = { id: 'consent', name: 'holdfast consent' }

const labelWidth = 13

/** Lines of which the first one has the label. */
function toRows(label: string, values: readonly string[]): string[][] {
  return values.map((value, index) => [index === 0 ? label : '', value])
}

/** In order of time. */
function listEvents({ given, amendments, changes, accountChanges }: ConsentHistory): string[] {
  const ends = changes.filter(({ status }) => status !== 'active')
  const events = [
    { time: given, text: 'active (customer)' },
    ...amendments.map(({ time, ...amendment }) => ({
      time,
      text: `amended: ${formatAmendment(amendment)}`,
    })),
    ...accountChanges.map(({ time, accountId, state, reason }) => ({
      time,
      text: `account ${accountId} ${state} (${reason})`,
    })),
    ...ends.map(({ time, status, reason, by }) => ({
      time,
      text: `${status} (${reason})${by ? ` by ${by.name} (${by.id})` : ''}`,
    })),
  ]
  return events
    .sort((a, b) => Temporal.Instant.compare(a.time, b.time))
    .map(({ time, text }) => `${formatTime(time)}  ${text}`)
}

function formatAmendment(amendment: Omit<Amendment, 'time'>): string {
  const { addedAccountIds, removedAccountIds, addedScopes, removedScopes, until } = amendment
  const parts = [
    ...[...addedAccountIds, ...addedScopes].map((added) => `+${added}`),
    ...[...removedAccountIds, ...removedScopes].map((removed) => `-${removed}`),
    `until ${formatTime(until)}`,
  ]
  return parts.join(' ')
}

function formatMessage(message: StoredMessage): string {
  const { kind, state, created, attempts, due, error, settled } = message
  const parts = [
    `${formatTime(created)}  ${kind} ${state.replace('_', ' ')}${settled ? ` at ${formatTime(settled)}` : ''}`,
    ...(settled ? [] : [`next attempt ${formatTime(due)}`]),
    `attempts: ${attempts}`,
    ...(error === undefined ? [] : [`last failure: ${error}`]),
  ]
  return parts.join(', ')
}

function withdrawCommand(terminal: Terminal): Command {
  return createSubcommand('withdraw', 'end a consent: its tokens become invalid in every process')
    .addArgument(idArgument('consent list'))
    .addHelpText(
      'after',
      '\nA withdrawn consent cannot be restored: the customer has to give a new one.',
    )
    .action((id: string, flags: Flags) =>
      withStore('openConsentStore', flags, terminal, async (store) => {
        const found = await find(store, id)
        if (await store.arrangements.withdraw(id, 'operator', await readNow(store), operator))
          return
        throw new CommandError(1, `the consent is not active: it is ${found.status}`)
      }),
    )
}

async function find(store: ConsentStore, id: string): Promise<StoredArrangement> {
  const found = await store.arrangements.find(id, await readNow(store))
  if (!found) throw new CommandError(1, 'no consent with this ID: run holdfast consent list')
  return found
}

function nameOf({ thirdPartyId }: StoredArrangement, names: ReadonlyMap<string, string>): string {
  return names.get(thirdPartyId) ?? '(removed)'
}

function formatLine(arrangement: StoredArrangement, names: ReadonlyMap<string, string>): string {
  const { id, status, until, customerId } = arrangement
  const name = nameOf(arrangement, names)
  return `${id}  ${status.padEnd('withdrawn'.length)}  until ${formatTime(until)}  ${escapeInvisible(`${customerId}  ${name}`)}\n`
}

function toJson({ from, until, updated, ...rest }: StoredArrangement) {
  return { ...rest, from: formatTime(from), until: formatTime(until), updated: formatTime(updated) }
}

function formatTime(time: Temporal.Instant): string {
  return time.toString({ smallestUnit: 'second' })
}
