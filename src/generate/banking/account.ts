import type { BankingAccount } from '../../contract/index.ts'
import { addMonths, formatDate, formatTime } from '../calendar.ts'
import { formatMoney, pickAmountNear } from '../money.ts'
import { isShared, type Ownership } from '../ownership.ts'
import { formatStreet } from '../person.ts'
import type { Random } from '../random.ts'
import { type AccountType, type AccountTypeName, getAccountType } from './account-types.ts'
import type { HistoryPlan } from './history.ts'
import type { AccountState } from './schedule.ts'
import { createDepositRates, createLendingRates, pickFeatures, pickFees } from './terms.ts'

/** The properties of one account that its lines have in common. */
export interface BankingPlan extends HistoryPlan, AccountState {
  readonly accountType: AccountTypeName
  readonly productName: string
  readonly ownership: Ownership
}

type Address = NonNullable<BankingAccount['addresses']>[number]
type Specifics = Pick<
  BankingAccount,
  'specificAccountUType' | 'loan' | 'creditCard' | 'termDeposit'
>

const nicknames = [
  'Holiday ✈',
  'Café money',
  'Bills, bills & bills',
  'The "boat" fund',
  '100%_mine',
]
const accountantIdFirst = 900_000_000

/** Creates the record that B1 returns. The envelope of its line contains the holders. */
export function createBankingAccount(plan: BankingPlan, random: Random): BankingAccount {
  const { ownership, accountId, isClosed } = plan
  const type = getAccountType(plan.accountType)
  const [{ person }] = ownership.holders
  const accountNumber = random.digits(8)
  return {
    accountId,
    creationDate: formatTime(plan.firstDay, 5 * 3_600_000, random.pick(plan.zones)),
    displayName: plan.productName,
    ...(random.chance(0.25) && { nickname: random.pick(nicknames) }),
    // Sometimes omitted: an account without it is open.
    ...((isClosed || random.chance(0.97)) && { openStatus: isClosed ? 'CLOSED' : 'OPEN' }),
    accountOwnership: ownership.accountOwnership,
    maskedNumber: `xxxx ${accountNumber.slice(-4)}`,
    productCategory: type.category,
    productName: plan.productName,
    complexAccountType: ownership.complexAccountType,
    ...(isShared(ownership) && { users: createUsers(ownership) }),
    bsb: random.integer(999_000, 999_099),
    accountNumber: Number(accountNumber),
    ...(random.chance(0.15) && { bundleName: 'Home & Hearth bundle' }),
    ...createRates(type, plan, random),
    features: pickFeatures(type, random),
    fees: pickFees(random),
    addresses: [createAddress(person, random)],
    ...createSpecifics(type, plan, random),
  }
}

/** All holders; an organisation also has an accountant who is not a customer. */
function createUsers({ holders, complexAccountType }: Ownership): BankingAccount['users'] & object {
  const users = holders.map(({ person, isOwned }) => ({
    id: person.number,
    email: person.email,
    isAccountHolder: isOwned,
  }))
  if (complexAccountType !== 'ORGANISATION') return users
  const [{ person: firm }] = holders
  const id = accountantIdFirst + firm.number
  return [...users, { id, email: `books.${firm.number}@example.net`, isAccountHolder: false }]
}

function createRates(
  type: AccountType,
  { rate, openingCents }: BankingPlan,
  random: Random,
): Pick<BankingAccount, 'depositRate' | 'depositRates' | 'lendingRate' | 'lendingRates'> {
  if (type.limitDollars || openingCents < 0)
    return { lendingRate: rate, lendingRates: createLendingRates(type, rate, random) }
  return { depositRate: rate, depositRates: createDepositRates(rate, random) }
}

function createAddress({ name, home }: Ownership['holders'][0]['person'], random: Random): Address {
  const { city, state } = home.place
  const postcode = Number(home.place.postcode)
  if (random.chance(0.7)) {
    return {
      addressUType: 'simple',
      simple: {
        mailingName: name,
        addressLine1: formatStreet(home),
        city,
        postcode,
        state,
        country: 'AUS',
      },
    }
  }
  return {
    addressUType: 'paf',
    paf: {
      dpid: random.digits(8),
      thoroughfareNumber1: home.number,
      ...(home.unit && { flatUnitType: 'UNIT', flatUnitNumber: String(home.unit) }),
      streetName: home.street.toUpperCase(),
      streetType: home.streetType.toUpperCase(),
      localityName: city.toUpperCase(),
      postcode,
      state,
    },
  }
}

/** The fields specific to cards, loans and term deposits. One account in ten has none. */
function createSpecifics(type: AccountType, plan: BankingPlan, random: Random): Specifics {
  if (random.chance(0.1)) return {}
  const { openingCents, firstDay, lastDay, ownership } = plan
  switch (type.category) {
    case 'CRED_AND_CHRG_CARDS':
      return {
        specificAccountUType: 'creditCard',
        creditCard: {
          minPaymentAmount: formatMoney(random.integer(25, 90) * 100),
          paymentDueAmount: formatMoney(pickAmountNear(random, plan.limitCents / 4, 0.5)),
          paymentCurrency: 'AUD',
          paymentDueDate: formatDate(lastDay + random.integer(2, 28)),
        },
      }
    case 'TERM_DEPOSITS':
      return {
        specificAccountUType: 'termDeposit',
        termDeposit: [
          {
            lodgementDate: formatDate(firstDay),
            maturityDate: formatDate(addMonths(lastDay, random.integer(1, 11))),
            maturityAmount: formatMoney(Math.round(openingCents * (1 + plan.rate))),
            maturityCurrency: 'AUD',
            maturityInstructions: random.pick(['ROLLED_OVER', 'PAID_OUT_AT_MATURITY'] as const),
          },
        ],
      }
    case 'BUSINESS_LOANS':
    case 'PERS_LOANS':
    case 'RESIDENTIAL_MORTGAGES':
      return {
        specificAccountUType: 'loan',
        loan: {
          originalStartDate: formatDate(firstDay),
          originalLoanAmount: formatMoney(-openingCents),
          originalLoanCurrency: 'AUD',
          loanEndDate: formatDate(addMonths(firstDay, 300)),
          nextInstalmentDate: formatDate(lastDay + random.integer(1, 28)),
          offsetAccountEnabled: ownership.siblingIds.length > 0,
          ...(ownership.siblingIds.length > 0 && {
            offsetAccountIds: ownership.siblingIds.slice(0, 1),
          }),
          repaymentType: 'PRINCIPAL_AND_INTEREST',
          repaymentFrequency: 'P1M',
        },
      }
    default:
      return {}
  }
}
