import type {
  BankingAccount,
  Customer,
  CustomerMatch,
  EnergyAccount,
  ShareableAccount,
} from '../contract/index.ts'

/** The fields of an energy account that E2 does not return. */
export const undetailedFields = ['users', 'complexAccountType'] as const

/** The customer as C1 returns it. */
export function toCustomerMatch({ id, name, phoneNumber }: Customer): CustomerMatch {
  return { id, name, ...(phoneNumber !== undefined && { phoneNumber }) }
}

/** A bank account as C2 returns it. */
export function toShareableBankingAccount(account: BankingAccount): ShareableAccount {
  return toShareable(account, account.productName, account.productCategory)
}

/** An energy account as C2 returns it. */
export function toShareableEnergyAccount(account: EnergyAccount): ShareableAccount {
  const { plans = [] } = account
  const names = plans.map((plan) => plan.planOverview?.displayName ?? plan.nickname)
  const fuels = plans.map((plan) => plan.planDetail?.fuelType)
  return toShareable(account, names.find(Boolean), fuels.find(Boolean))
}

function toShareable(
  { accountId, displayName }: BankingAccount | EnergyAccount,
  name: string | undefined,
  type: ShareableAccount['type'],
): ShareableAccount {
  return {
    id: accountId,
    name: name ?? displayName ?? accountId,
    ...(type !== undefined && { type }),
    ...(displayName !== undefined && { displayName }),
  }
}
