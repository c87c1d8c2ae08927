import {
  type BankingAccount,
  type BankingAccountV3,
  type BankingBalance,
  type BankingTransaction,
  type Customer,
  toAmount,
} from '../../../contract/index.ts'

/**
 * How records of the interface become those of the Consumer Data Standards. Fields that the interface does not have
 * are left out, and so are those that a provider does not have, unless a default below replaces them. Ids are those of
 * the third party.
 */

/** The currency of amounts without one, in the interface and in the standards. */
const currencyDefault = 'AUD'

/** `BankingAccount`. Version 3 added `isInstalmentDetailAvailable`. */
export function toCdsAccount(
  account: BankingAccount | BankingAccountV3,
  accountId: string,
  version: number,
) {
  const { displayName, productName } = account
  return {
    accountId,
    creationDate: account.creationDate?.slice(0, 'YYYY-MM-DD'.length),
    displayName: displayName ?? account.nickname ?? productName ?? '',
    nickname: account.nickname,
    openStatus: account.openStatus ?? 'OPEN',
    isOwned: account.isOwned ?? true,
    accountOwnership: account.accountOwnership ?? 'UNKNOWN',
    maskedNumber: account.maskedNumber ?? '',
    productCategory: account.productCategory,
    productName: productName ?? displayName ?? '',
    ...(version >= 3 && { isInstalmentDetailAvailable: false }),
  }
}

/** `BankingBalance` */
export function toCdsBalance(balance: BankingBalance, accountId: string) {
  return {
    accountId,
    currentBalance: toAmount(balance.currentBalance),
    availableBalance: toAmount(balance.availableBalance),
    currency: balance.currency ?? currencyDefault,
  }
}

/** `BankingTransaction`. No detail is available, since Get Transaction Detail is not served. */
export function toCdsTransaction(
  transaction: BankingTransaction,
  accountId: string,
  transactionId: string,
) {
  return {
    accountId,
    transactionId,
    isDetailAvailable: false,
    type: transaction.type ?? 'OTHER',
    status: transaction.status,
    description: transaction.description ?? '',
    postingDateTime: transaction.postingDateTime,
    executionDateTime: transaction.executionDateTime,
    amount: toAmount(transaction.amount),
    currency: currencyDefault,
    reference: transaction.reference ?? '',
  }
}

/** `CommonCustomer`. A customer of the interface is a person; a single name is the last name. */
export function toCdsCustomer({ givenName, familyName, name, updatedAt }: Customer) {
  return {
    customerUType: 'person',
    person: {
      lastUpdateTime: updatedAt,
      ...(familyName === undefined
        ? { lastName: name }
        : { firstName: givenName, lastName: familyName }),
      middleNames: [],
    },
  }
}
