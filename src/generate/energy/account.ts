import type { EnergyAccount } from '../../contract/index.ts'
import { dateOf, timeOf } from '../calendar.ts'
import { isShared } from '../ownership.ts'
import type { Random } from '../random.ts'
import { contractOf } from './contract.ts'
import type { EnergyPlan } from './plan.ts'

type Plan = NonNullable<EnergyAccount['plans']>[number]
type PlanDetail = NonNullable<Plan['planDetail']>

const planNames = ['Steady Saver', 'Sunny Side', 'Flexi 24', 'Business Basics', 'Warm Hearth']

/** The account as E1 shows it, users included. */
export function energyAccountOf(plan: EnergyPlan, random: Random): EnergyAccount {
  const { holding, isClosed, firstDay } = plan
  const { holders, complexAccountType } = holding
  const users = holders.map(({ person, isOwned }) => ({
    id: person.customerId,
    email: person.email,
    isAccountHolder: isOwned,
  }))
  const what = plan.supplies.map(({ fuel }) => (fuel === 'GAS' ? 'gas' : 'electricity')).join(' & ')
  return {
    accountId: plan.accountId,
    accountNumber: random.digits(9),
    displayName: `${complexAccountType === 'ORGANISATION' ? 'Site' : 'Home'} ${what}`,
    openStatus: isClosed ? 'CLOSED' : 'OPEN',
    creationDate: timeOf(firstDay, 9 * 3_600_000, random.pick(['local', 'utc'] as const)),
    complexAccountType,
    ...((isShared(holding) || random.chance(0.5)) && { users }),
    plans: [agreementOf(plan, random)],
  }
}

function agreementOf(plan: EnergyPlan, random: Random): Plan {
  const { supplies, isClosed } = plan
  const [{ person }] = plan.holding.holders
  const points = supplies.map(({ servicePointId }) => servicePointId)
  return {
    ...(random.chance(0.3) && { nickname: random.pick(['Home', 'The shed', 'Unit 2 — tenants']) }),
    servicePointIds: points,
    planOverview: {
      displayName: random.pick(planNames),
      startDate: dateOf(plan.firstDay),
      ...(isClosed && { endDate: dateOf(plan.endDay) }),
    },
    planDetail: detailOf(plan, random),
    authorisedContacts: [
      {
        firstName: person.first,
        lastName: person.last,
        ...(person.middle && { middleNames: [person.middle] }),
        ...(random.chance(0.5) && { prefix: random.pick(['Ms', 'Mr', 'Mx', 'Dr']) }),
      },
    ],
  }
}

function detailOf(plan: EnergyPlan, random: Random): PlanDetail {
  const { supplies } = plan
  const electricity = supplies.find(({ fuel }) => fuel === 'ELECTRICITY')
  const gas = supplies.find(({ fuel }) => fuel === 'GAS')
  return {
    fuelType: supplies.length > 1 ? 'DUAL' : supplies[0].fuel,
    isContingentPlan: supplies.length > 1,
    meteringCharges: [
      {
        displayName: 'Metering',
        description: 'Reading of the meter',
        minimumValue: '0.05',
        ...(random.chance(0.3) && { maximumValue: '0.25' }),
        period: 'P1D',
      },
    ],
    ...(electricity && { electricityContract: contractOf(electricity, plan, random) }),
    ...(gas && { gasContract: contractOf(gas, plan, random) }),
  }
}
