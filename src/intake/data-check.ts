import { isObject } from '../contract/schema.ts'
import { accountRecord } from './dump.ts'
import {
  type Examples,
  hasFewUsers,
  openFaultCounter,
  type RecordFaults,
  withExample,
} from './line-warnings.ts'
import { entryTypes } from './record-type.ts'
import type { DumpedItem } from './writer.ts'

/** Something that is missing in stored data: how often, and where. */
export interface Gap {
  readonly count: number
  readonly examples: Examples
}

export interface DataFindings {
  readonly customersWithoutEmail: Gap
  /** Bank accounts. */
  readonly accountsWithoutBalance: Gap
  readonly accountsWithoutContact: Gap
  /** Accounts that list fewer users than they have holders. */
  readonly accountsWithoutUsers: Gap
  readonly faults: readonly RecordFaults[]
}

/** Checks what is stored, in the order of a dump: an account is followed by everything in it. Records that are not served are not checked. */
export function openDataCheck() {
  const customersWithoutEmail = openGap()
  const accountsWithoutBalance = openGap()
  const accountsWithoutContact = openGap()
  const accountsWithoutUsers = openGap()
  const faults = openFaultCounter()
  let account: { id: string; lacksBalance: boolean; lacksContact: boolean } | undefined

  const endAccount = (): void => {
    if (account?.lacksBalance) accountsWithoutBalance.add(account.id)
    if (account?.lacksContact) accountsWithoutContact.add(account.id)
    account = undefined
  }
  const addAccount = (item: DumpedItem & { type: 'account' }): void => {
    const record: unknown = JSON.parse(accountRecord(item))
    const id = isObject(record) ? String(record['accountId']) : ''
    account = { id, lacksBalance: item.kind === 'banking', lacksContact: true }
    if (hasFewUsers(item.holders, record)) accountsWithoutUsers.add(id)
    faults.add(`${item.kind}.account`, record, id)
  }

  return {
    add(item: DumpedItem): void {
      const isContent = ['balance', 'contact', 'entry'].includes(item.type)
      if (!isContent) endAccount()
      if (item.type === 'customer') {
        const { id, email } = JSON.parse(item.record)
        if (!email && item.emails.length === 0) customersWithoutEmail.add(id)
      } else if (item.type === 'account') addAccount(item)
      else if (account && !('isUnresolved' in item && item.isUnresolved)) {
        if (item.type === 'balance') account.lacksBalance = false
        if (item.type === 'contact') account.lacksContact = false
        if (item.type === 'balance' || item.type === 'entry') {
          const type = item.type === 'balance' ? 'banking.balance' : entryTypes[item.list]
          faults.add(type, JSON.parse(item.record), account.id)
        }
      }
    },
    /** After the last item. */
    finish(): DataFindings {
      endAccount()
      return {
        customersWithoutEmail: customersWithoutEmail.result(),
        accountsWithoutBalance: accountsWithoutBalance.result(),
        accountsWithoutContact: accountsWithoutContact.result(),
        accountsWithoutUsers: accountsWithoutUsers.result(),
        faults: faults.result(),
      }
    },
  }
}

function openGap() {
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
