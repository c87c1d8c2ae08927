import type { AccountContact } from '../../../contract/index.ts'
import { ApiError } from '../../api.ts'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { RecordView } from '../../components/record-view.tsx'
import { useResource } from '../../resource.ts'
import type { AccountKind, AccountProps } from './account-props.ts'
import { callProvider } from './calls.ts'
import { readList } from './read-list.ts'

/** The whole record of an account. */
export function AccountRecord({
  kind,
  customerId,
  accountId,
}: AccountProps & { readonly kind: AccountKind }) {
  const found = useResource(`${kind}\n${customerId}\n${accountId}`, async (signal) => ({
    record: await (kind === 'banking' ? readBanking : readEnergy)(
      { customerId, accountId },
      signal,
    ),
  }))
  return (
    <Loaded resource={found}>
      {({ record }) =>
        record ? <RecordView value={record} /> : <Empty title="The provider has no details of it" />
      }
    </Loaded>
  )
}

type AccountIds = Pick<AccountProps, 'customerId' | 'accountId'>

/** No operation returns one bank account, so this finds it in the list. */
async function readBanking({ customerId, accountId }: AccountIds, signal: AbortSignal) {
  const { data } = await callProvider(
    { operation: 'listBankingAccounts', params: { customerId }, query: { 'page-size': 1000 } },
    signal,
  )
  return data.accounts.find((account) => account.accountId === accountId)
}

async function readEnergy(account: AccountIds, signal: AbortSignal) {
  return (await readList('listEnergyAccountDetails', account, {}, signal)).rows[0]
}

/** An account may have no contact details. The provider responds as for an account that does not exist. */
async function readContact(
  customerId: string,
  accountId: string,
  signal: AbortSignal,
): Promise<AccountContact | 'restricted' | 'none'> {
  try {
    const contact = await callProvider(
      { operation: 'getAccountContact', params: { customerId, accountId } },
      signal,
    )
    return contact ?? 'restricted'
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'none'
    throw error
  }
}

export function Contact({ customerId, accountId }: AccountProps) {
  const contact = useResource(`${customerId}\n${accountId}`, (signal) =>
    readContact(customerId, accountId, signal),
  )
  return (
    <Loaded resource={contact}>
      {(value) => {
        if (value === 'none') return <Empty title="This account has no contact details" />
        if (value === 'restricted')
          return <Empty title="The contact details of this account are restricted" />
        return <RecordView value={value} />
      }}
    </Loaded>
  )
}
