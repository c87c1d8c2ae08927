import type { CorrectionNotice, correctableTypes } from '../../contract/index.ts'
import type { Correction } from '../../disclosures/correction.ts'
import { findRecipients, type RecipientOptions } from '../../disclosures/find-recipients.ts'
import { findNoticeDue } from '../../disclosures/notice-due.ts'
import { toThirdParty } from './format-flow.ts'
import type { ConsentStore } from './store.ts'
import { readThirdPartyNames } from './third-party-names.ts'

type NoticeStore = Pick<ConsentStore, 'disclosureRecords' | 'thirdParties'>

/** The notices of each correction, in the order of the corrections. Most have none. */
export async function* listNotices(
  store: NoticeStore,
  pages: AsyncIterable<readonly Correction[]>,
  options: RecipientOptions,
): AsyncGenerator<readonly [Correction, readonly CorrectionNotice[]]> {
  const names = await readThirdPartyNames(store)
  const { timeZone } = options
  const format = (time: Temporal.Instant) =>
    time
      .toZonedDateTimeISO(timeZone)
      .toString({ smallestUnit: 'second', timeZoneName: 'never' })
      .replace('+00:00', 'Z')
  for await (const [correction, recipients] of findRecipients(
    store.disclosureRecords,
    pages,
    options,
  )) {
    const { customerId, type, isDeleted, time, accountId, recordId } = correction
    const about = {
      ...{ customerId, type, isDeleted, data: describeData(correction) },
      ...(accountId !== undefined && { accountId }),
      ...(recordId !== undefined && { recordId }),
      ...{ corrected: format(time), noticeDue: findNoticeDue(time, timeZone).toString() },
    }
    const notices = recipients.map(({ thirdPartyId, consentId, first, last, count }) => ({
      ...about,
      thirdParty: toThirdParty(thirdPartyId, names.get(thirdPartyId)),
      consentId,
      disclosures: count,
      firstDisclosed: format(first),
      lastDisclosed: format(last),
    }))
    yield [correction, notices]
  }
}

const dataNames: Readonly<Record<(typeof correctableTypes)[number], string>> = {
  customer: 'Customer details',
  'banking.account': 'Account details',
  'banking.balance': 'Account balance',
  'banking.transaction': 'Transaction',
  'banking.scheduledPayment': 'Scheduled payment',
  'banking.directDebit': 'Direct debit',
  'energy.account': 'Energy account details',
  'energy.invoice': 'Invoice',
  'energy.billing': 'Billing transaction',
  'account.contact': 'Contact details',
}

function describeData({ type, isDeleted }: Pick<Correction, 'type' | 'isDeleted'>): string {
  const isWhole = isDeleted && (type === 'banking.account' || type === 'energy.account')
  return isWhole ? 'Account with all of its data' : dataNames[type]
}
