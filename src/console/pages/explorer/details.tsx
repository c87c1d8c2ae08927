import { isExtensionServed } from '../../../contract/extension-served.ts'
import { ApiError, findErrorText } from '../../api.ts'
import { RecordView } from '../../components/record-view.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { useResource } from '../../resource.ts'
import type { AccountProps } from './account-props.ts'
import { callProvider, unlessMissing } from './calls.ts'
import { readList } from './read-list.ts'

function RecordCard({ value }: { readonly value: unknown }) {
  return (
    <div class="card">
      <RecordView value={value} />
    </div>
  )
}

/** The whole record of an account. */
export function AccountRecord({ kind, customerId, accountId }: AccountProps) {
  const found = useResource(`${kind}\n${customerId}\n${accountId}`, async (signal) => ({
    record: await readRecord(kind, { customerId, accountId }, signal),
  }))
  return (
    <Loaded resource={found}>
      {({ record }) =>
        record ? <RecordCard value={record} /> : <Empty title="The provider has no details of it" />
      }
    </Loaded>
  )
}

/** A provider without the operation of one bank account has it in its list. */
async function readRecord(
  kind: AccountProps['kind'],
  account: Pick<AccountProps, 'customerId' | 'accountId'>,
  signal: AbortSignal,
) {
  if (kind === 'energy') {
    return (await readList('listEnergyAccountDetails', account, {}, signal)).rows[0]
  }
  const single = await readBankAccount(account, signal)
  if (single !== 'unserved') return single
  const { rows } = await readList('listBankingAccounts', account, { 'page-size': 1000 }, signal)
  return rows.find(({ accountId }) => accountId === account.accountId)
}

/** Undefined if the provider does not know the account. The operation is an extension of the interface. */
async function readBankAccount(
  { customerId, accountId }: Pick<AccountProps, 'customerId' | 'accountId'>,
  signal: AbortSignal,
) {
  const params = { customerId, accountId }
  const answer = callProvider({ operation: 'getBankingAccount', params }, signal)
  return unlessMissing('account_not_found', answer).then(
    (found) => found?.data,
    (error: unknown) => {
      if (
        error instanceof ApiError &&
        !isExtensionServed(error.status, findErrorText(error.body))
      ) {
        return 'unserved'
      }
      throw error
    },
  )
}

/** An account may have no contact details. */
export function Contact({ customerId, accountId }: AccountProps) {
  const contact = useResource(`${customerId}\n${accountId}`, async (signal) => {
    const params = { customerId, accountId }
    const found = unlessMissing(
      'contact_not_found',
      callProvider({ operation: 'getAccountContact', params }, signal).then((value) => ({ value })),
    )
    return (await found) ?? 'none'
  })
  return (
    <Loaded resource={contact}>
      {(found) => {
        if (found === 'none') return <Empty title="This account has no contact details" />
        if (found.value === undefined)
          return <Empty title="The contact details of this account are withheld" />
        return <RecordCard value={found.value} />
      }}
    </Loaded>
  )
}
