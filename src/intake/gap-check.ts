import { isObject } from '../contract/schema.ts'
import { accountRecord } from './dump.ts'
import { type Examples, withExample } from './line-warnings.ts'
import type { DumpedItem } from './writer.ts'

/** Something that is missing in stored data: how often, and where. */
export interface Gap {
  readonly count: number
  readonly examples: Examples
}

/** An account of a dump, whose items follow it. */
export interface DumpedAccount {
  readonly id: string
  readonly record: unknown
}

/**
 * Finds accounts without a balance or a contact record in a dump. `add` returns the account that an item is, or is in;
 * undefined for other items, and for those that are not served because their account does not exist.
 */
export function openGapCheck() {
  const accountsWithoutBalance = openGap()
  const accountsWithoutContact = openGap()
  let account: (DumpedAccount & { lacksBalance: boolean; lacksContact: boolean }) | undefined

  const endAccount = (): void => {
    if (account?.lacksBalance) accountsWithoutBalance.add(account.id)
    if (account?.lacksContact) accountsWithoutContact.add(account.id)
    account = undefined
  }
  return {
    add(item: DumpedItem): DumpedAccount | undefined {
      if (item.type === 'balance' || item.type === 'contact' || item.type === 'entry') {
        if (!account || item.isUnresolved) return undefined
        if (item.type === 'balance') account.lacksBalance = false
        if (item.type === 'contact') account.lacksContact = false
        return account
      }
      endAccount()
      if (item.type !== 'account') return undefined
      const record: unknown = JSON.parse(accountRecord(item))
      const id = isObject(record) ? String(record['accountId']) : ''
      account = { id, record, lacksBalance: item.kind === 'banking', lacksContact: true }
      return account
    },
    /** After the last item. */
    finish(): { readonly accountsWithoutBalance: Gap; readonly accountsWithoutContact: Gap } {
      endAccount()
      return {
        accountsWithoutBalance: accountsWithoutBalance.result(),
        accountsWithoutContact: accountsWithoutContact.result(),
      }
    },
  }
}

export function openGap() {
  let examples: Examples = { ids: [], hasMore: false }
  let count = 0
  return {
    add(id: string): void {
      count += 1
      examples = withExample(examples, id)
    },
    result: (): Gap => ({ count, examples }),
  }
}
