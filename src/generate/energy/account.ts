import type { EnergyAccount } from '../../contract/index.ts'
import { formatDate, formatTime } from '../calendar.ts'
import { isShared } from '../ownership.ts'
import type { Random } from '../random.ts'
import { createContract } from './contract.ts'
import type { EnergyPlan } from './plan.ts'

type Plan = NonNullable<EnergyAccount['plans']>[number]
type PlanDetail = NonNullable<Plan['planDetail']>

const planNames = ['Steady Saver', 'Sunny Side', 'Flexi 24', 'Business Basics', 'Warm Hearth']

/** Creates the record that E1 returns, including its users. */
export function createEnergyAccount(plan: EnergyPlan, random: Random): EnergyAccount {
  const { ownership, isClosed, firstDay } = plan
  const { holders, complexAccountType } = ownership
  const users = holders.map(({ person, isOwned }) => ({
    id: person.customerId,
    email: person.email,
    isAccountHolder: isOwned,
  }))
  const fuels = plan.supplies
    .map(({ fuel }) => (fuel === 'GAS' ? 'gas' : 'electricity'))
    .join(' & ')
  return {
    accountId: plan.accountId,
    accountNumber: random.digits(9),
    displayName: `${complexAccountType === 'ORGANISATION' ? 'Site' : 'Home'} ${fuels}`,
    openStatus: isClosed ? 'CLOSED' : 'OPEN',
    creationDate: formatTime(firstDay, 9 * 3_600_000, random.pick(['local', 'utc'] as const)),
    complexAccountType,
    ...((isShared(ownership) || random.chance(0.5)) && { users }),
    plans: [createAgreement(plan, random)],
  }
}

function createAgreement(plan: EnergyPlan, random: Random): Plan {
  const { supplies, isClosed } = plan
  const [{ person }] = plan.ownership.holders
  return {
    ...(random.chance(0.3) && { nickname: random.pick(['Home', 'The shed', 'Unit 2 — tenants']) }),
    servicePointIds: supplies.map(({ servicePointId }) => servicePointId),
    planOverview: {
      displayName: random.pick(planNames),
      startDate: formatDate(plan.firstDay),
      ...(isClosed && { endDate: formatDate(plan.endDay) }),
    },
    planDetail: createDetail(plan, random),
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

function createDetail(plan: EnergyPlan, random: Random): PlanDetail {
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
    ...(electricity && { electricityContract: createContract(electricity, plan, random) }),
    ...(gas && { gasContract: createContract(gas, plan, random) }),
  }
}
