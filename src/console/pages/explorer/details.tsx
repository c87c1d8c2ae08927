import type {
  AccountContact,
  BankingAccount,
  EnergyAccountDetail,
} from '../../../contract/index.ts'
import { Empty } from '../../components/empty.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { RecordView } from '../../components/record-view.tsx'
import { useResource } from '../../resource.ts'
import type { AccountKind, AccountProps } from './account-props.ts'
import { callProvider } from './calls.ts'

/** The whole record of an account. */
export function AccountRecord({
  kind,
  customerId,
  accountId,
}: AccountProps & { readonly kind: AccountKind }) {
  const found = useResource(`${kind}\n${customerId}\n${accountId}`, async (signal) => ({
    record: await (kind === 'banking' ? readBanking : readEnergy)(customerId, accountId, signal),
  }))
  return (
    <Loaded resource={found}>
      {({ record }) =>
        record ? <RecordView value={record} /> : <Empty title="The provider has no details of it" />
      }
    </Loaded>
  )
}

/** No operation returns one bank account, so this finds it in the list. */
async function readBanking(
  customerId: string,
  accountId: string,
  signal: AbortSignal,
): Promise<BankingAccount | undefined> {
  const { data } = await callProvider<{ readonly data: { readonly accounts: BankingAccount[] } }>(
    { operation: 'listBankingAccounts', params: { customerId }, query: { 'page-size': 1000 } },
    signal,
  )
  return data.accounts.find((account) => account.accountId === accountId)
}

async function readEnergy(
  customerId: string,
  accountId: string,
  signal: AbortSignal,
): Promise<EnergyAccountDetail | undefined> {
  const body = { data: { accountIds: [accountId] } }
  const { data } = await callProvider<{
    readonly data: { readonly accounts: EnergyAccountDetail[] }
  }>({ operation: 'listEnergyAccountDetails', params: { customerId }, body }, signal)
  return data.accounts[0]
}

export function Contact({ customerId, accountId }: AccountProps) {
  const contact = useResource(`${customerId}\n${accountId}`, async (signal) => ({
    contact: await callProvider<AccountContact | undefined>(
      { operation: 'getAccountContact', params: { customerId, accountId } },
      signal,
    ),
  }))
  return (
    <Loaded resource={contact}>
      {({ contact: value }) =>
        value ? (
          <RecordView value={value} />
        ) : (
          <Empty title="The contact details of this account are restricted" />
        )
      }
    </Loaded>
  )
}
