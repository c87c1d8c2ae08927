import { scheduledPayment } from '../../src/contract/examples/banking.ts'
import { ScheduledPayment } from '../../src/contract/index.ts'
import type { RuleCase } from './input-rule-cases.ts'

const { to } = scheduledPayment.paymentSet ?? {}
const paying = (target: object) => ({
  ...scheduledPayment,
  paymentSet: { ...scheduledPayment.paymentSet, to: target },
})
const recurring = (recurrence: object) => ({ ...scheduledPayment, recurrence })

/** Payees and recurrences of scheduled payments. */
export const paymentRuleCases: readonly RuleCase[] = [
  ['a payee with all its details', ScheduledPayment, paying({ ...to }), []],
  ...['accountId', 'payeeId'].flatMap((toUType): RuleCase[] => [
    [
      `a payment target of type ${toUType} with the account as its payee`,
      ScheduledPayment,
      paying({ toUType, accountId: 'a', payeeID: 'a' }),
      [],
    ],
    [
      `a payment target of type ${toUType} without a payee`,
      ScheduledPayment,
      paying({ toUType, accountId: 'a' }),
      [
        'paymentSet.to.payeeID is required when toUType is accountId or payeeId; for a transfer between own accounts it may be the accountId',
      ],
    ],
    [
      `a payment target of type ${toUType} without an account`,
      ScheduledPayment,
      paying({ toUType, payeeID: 'p' }),
      ['paymentSet.to.accountId is required when toUType is accountId or payeeId'],
    ],
  ]),
  ...['biller', 'digitalWallet', 'domestic', 'international'].map(
    (toUType): RuleCase => [
      `a payment target of type ${toUType} without its details`,
      ScheduledPayment,
      paying({ toUType, accountId: 'a', payeeID: 'p' }),
      [`paymentSet.to.${toUType} is required when toUType is ${toUType}`],
    ],
  ),
  [
    'a biller that is a registered payee',
    ScheduledPayment,
    paying({ toUType: 'biller', payeeID: 'p', biller: { billerCode: '1' } }),
    [],
  ],
  [
    'a biller with an additional account',
    ScheduledPayment,
    paying({ toUType: 'biller', accountId: 'a', biller: { billerCode: '1' } }),
    [],
  ],
  [
    'a biller with another type',
    ScheduledPayment,
    paying({ toUType: 'accountId', accountId: 'a', payeeID: 'a', biller: { billerCode: '1' } }),
    ['paymentSet.to.biller must be absent when toUType is not biller'],
  ],
  [
    'a recurrence without its schedule',
    ScheduledPayment,
    recurring({ reccurenceUType: 'onceOff' }),
    ['recurrence.onceOff is required when reccurenceUType is onceOff'],
  ],
  [
    'a schedule without intervals',
    ScheduledPayment,
    recurring({ reccurenceUType: 'intervalSchedule', intervalSchedule: { intervals: [] } }),
    ['recurrence.intervalSchedule.intervals must be a list of at least 1 element'],
  ],
]
