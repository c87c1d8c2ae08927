import { findRecordFaults } from '../contract/index.ts'
import { type Gap, openGap, openGapCheck } from './gap-check.ts'
import { hasFewUsers, openFaultCounter, type RecordFaults } from './line-warnings.ts'
import { entryTypes } from './record-type.ts'
import type { DumpedItem } from './writer.ts'

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
  const gaps = openGapCheck()
  const customersWithoutEmail = openGap()
  const accountsWithoutUsers = openGap()
  const faults = openFaultCounter()

  return {
    add(item: DumpedItem): void {
      const account = gaps.add(item)
      if (item.type === 'customer') {
        const { id, email } = JSON.parse(item.record)
        if (!email && item.emails.length === 0) customersWithoutEmail.add(id)
      }
      if (!account) return
      if (item.type === 'account') {
        if (hasFewUsers(item.holders, account.record)) accountsWithoutUsers.add(account.id)
        const type = `${item.kind}.account` as const
        faults.add(type, findRecordFaults(type, account.record), account.id)
      }
      if (item.type === 'balance' || item.type === 'entry') {
        const type = item.type === 'balance' ? 'banking.balance' : entryTypes[item.list]
        faults.add(type, findRecordFaults(type, JSON.parse(item.record)), account.id)
      }
    },
    /** After the last item. */
    finish(): DataFindings {
      return {
        ...gaps.finish(),
        customersWithoutEmail: customersWithoutEmail.result(),
        accountsWithoutUsers: accountsWithoutUsers.result(),
        faults: faults.result(),
      }
    },
  }
}
