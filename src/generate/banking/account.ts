import type { BankingAccount } from '../../contract/index.ts'
import { addMonths, dateOf, timeOf } from '../calendar.ts'
import { amountNear, moneyText } from '../money.ts'
import { isShared, type Ownership } from '../ownership.ts'
import { streetLine } from '../people.ts'
import type { Random } from '../random.ts'
import { type AccountType, accountType } from './account-types.ts'
import type { BankingPlan } from './plan.ts'
import { depositRatesOf, featuresOf, feesOf, lendingRatesOf } from './terms.ts'

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

/** The account as B1 shows it. Who owns it stands with the holders, beside the record. */
export function bankingAccountOf(plan: BankingPlan, random: Random): BankingAccount {
  const { holding, accountId, isClosed } = plan
  const kind = accountType(plan.kind)
  const [{ person }] = holding.holders
  const accountNumber = random.digits(8)
  return {
    accountId,
    creationDate: timeOf(plan.firstDay, 5 * 3_600_000, random.pick(plan.zones)),
    displayName: plan.productName,
    ...(random.chance(0.25) && { nickname: random.pick(nicknames) }),
    // Left out now and then: an account without it counts as open.
    ...((isClosed || random.chance(0.97)) && { openStatus: isClosed ? 'CLOSED' : 'OPEN' }),
    accountOwnership: holding.ownership,
    maskedNumber: `xxxx ${accountNumber.slice(-4)}`,
    productCategory: kind.category,
    productName: plan.productName,
    complexAccountType: holding.complexAccountType,
    ...(isShared(holding) && { users: usersOf(holding) }),
    bsb: random.whole(999_000, 999_099),
    accountNumber: Number(accountNumber),
    ...(random.chance(0.15) && { bundleName: 'Home & Hearth bundle' }),
    ...ratesOf(kind, plan, random),
    features: featuresOf(kind, random),
    fees: feesOf(random),
    addresses: [addressOf(person, random)],
    ...specificsOf(kind, plan, random),
  }
}

/** Everyone who is related to the account; a firm also has an accountant who is no customer. */
function usersOf({ holders, complexAccountType }: Ownership): BankingAccount['users'] & object {
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

function ratesOf(
  kind: AccountType,
  { rate, openingCents }: BankingPlan,
  random: Random,
): Pick<BankingAccount, 'depositRate' | 'depositRates' | 'lendingRates'> {
  if (kind.limits || openingCents < 0) return { lendingRates: lendingRatesOf(kind, rate, random) }
  return { depositRate: rate, depositRates: depositRatesOf(rate, random) }
}

function addressOf({ name, home }: Ownership['holders'][0]['person'], random: Random): Address {
  const { city, state } = home.place
  const postcode = Number(home.place.postcode)
  if (random.chance(0.7)) {
    return {
      addressUType: 'simple',
      simple: {
        mailingName: name,
        addressLine1: streetLine(home),
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

/** A card, a loan or a deposit for a term says more; not every bank passes it on. */
function specificsOf(kind: AccountType, plan: BankingPlan, random: Random): Specifics {
  if (random.chance(0.1)) return {}
  const { openingCents, firstDay, lastDay, holding } = plan
  switch (kind.category) {
    case 'CRED_AND_CHRG_CARDS':
      return {
        specificAccountUType: 'creditCard',
        creditCard: {
          minPaymentAmount: moneyText(random.whole(25, 90) * 100),
          paymentDueAmount: moneyText(amountNear(random, plan.limitCents / 4, 0.5)),
          paymentCurrency: 'AUD',
          paymentDueDate: dateOf(lastDay + random.whole(2, 28)),
        },
      }
    case 'TERM_DEPOSITS':
      return {
        specificAccountUType: 'termDeposit',
        termDeposit: [
          {
            lodgementDate: dateOf(firstDay),
            maturityDate: dateOf(addMonths(lastDay, random.whole(1, 11))),
            maturityAmount: moneyText(Math.round(openingCents * (1 + plan.rate))),
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
          originalStartDate: dateOf(firstDay),
          originalLoanAmount: moneyText(-openingCents),
          originalLoanCurrency: 'AUD',
          loanEndDate: dateOf(addMonths(firstDay, 300)),
          nextInstalmentDate: dateOf(lastDay + random.whole(1, 28)),
          offsetAccountEnabled: holding.siblingIds.length > 0,
          ...(holding.siblingIds.length > 0 && {
            offsetAccountIds: holding.siblingIds.slice(0, 1),
          }),
          repaymentType: 'PRINCIPAL_AND_INTEREST',
          repaymentFrequency: 'P1M',
        },
      }
    default:
      return {}
  }
}
