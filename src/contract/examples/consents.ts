import type { Consent, ConsentDetail, ConsentFlow } from '../records/consents.ts'
import type { CorrectionNotice } from '../records/corrections.ts'
import type { DescribedRecord } from '../records/described-record.ts'
import type { ReportState } from '../records/reports.ts'

export const consent: Consent = {
  consentId: '4b4e1d6c-0f6d-4bb0-8e8f-1d2a7f3f9b52',
  status: 'active',
  customerId: 'cust-1',
  thirdParty: { id: '9d2f4f57-5b43-4c38-a1c5-3e9a2c3f0e11', name: 'Example Budget' },
  accountIds: ['acc-4711', 'acc-4712'],
  scopes: ['openid', 'bank:accounts.basic:read', 'bank:transactions:read'],
  from: '2025-07-01T09:30:00Z',
  until: '2026-07-01T09:30:00Z',
  updated: '2025-07-01T09:30:00Z',
  messages: [],
}

export const consentDetail: ConsentDetail = {
  ...consent,
  status: 'withdrawn',
  updated: '2025-09-12T04:10:00Z',
  messages: [
    {
      kind: 'revocation',
      state: 'waiting',
      created: '2025-09-12T04:10:00Z',
      attempts: 3,
      nextAttempt: '2025-09-12T04:11:10Z',
      lastFailure: 'status 503',
    },
  ],
  changes: [
    { time: '2025-07-01T09:30:00Z', status: 'active', reason: 'customer' },
    { time: '2025-09-12T04:10:00Z', status: 'withdrawn', reason: 'operator' },
  ],
  accounts: [
    {
      accountId: 'acc-4711',
      state: 'restricted',
      reason: 'account_refused',
      since: '2025-08-20T01:15:00Z',
    },
    {
      accountId: 'acc-4712',
      state: 'available',
      reason: 'chosen',
      since: '2025-07-01T09:30:00Z',
    },
  ],
  accountChanges: [
    {
      time: '2025-08-20T01:15:00Z',
      accountId: 'acc-4711',
      state: 'restricted',
      reason: 'account_refused',
    },
  ],
  amendments: [],
  disclosures: [
    {
      scope: 'bank:transactions:read',
      first: '2025-07-01T09:31:30Z',
      last: '2025-09-11T22:00:05Z',
    },
  ],
}

export const consentFlow: ConsentFlow = {
  flowId: 'V3hqY0tJb2ZyQm1RZ0',
  state: 'failed',
  thirdParty: consent.thirdParty,
  started: '2025-07-01T09:30:00Z',
  updated: '2025-07-01T09:31:10Z',
  steps: [
    { time: '2025-07-01T09:30:00Z', step: 'request', outcome: 'succeeded' },
    { time: '2025-07-01T09:30:20Z', step: 'identify', outcome: 'succeeded' },
    {
      time: '2025-07-01T09:31:10Z',
      step: 'passcode',
      outcome: 'failed',
      reason: 'wrong_passcode',
    },
  ],
}

export const describedRecord: DescribedRecord = {
  time: '2025-09-11T22:00:05Z',
  localTime: '2025-09-12T08:00:05+10:00[Australia/Sydney]',
  service: 'Example Budget',
  data: 'Transaction details',
  result: 'Shared',
  records: 25,
  accounts: ['Everyday'],
  from: '2025-06-11T22:00:00Z',
  to: '2025-09-11T22:00:05Z',
}

export const reportState: ReportState = {
  report: {
    period: '2026-H2',
    firstDay: '2026-07-01',
    lastDay: '2026-12-31',
    timeZone: 'Australia/Sydney',
    isFinished: false,
    brands: [
      {
        name: 'Example Bank',
        productDataRequests: 5200,
        consumerDataRequests: 18_400,
        disclosed: 18_310,
        notSent: 0,
        refusals: [
          {
            data: 'consumer',
            rule: '4.7(1)(a)',
            circumstance: 'sharing could cause harm or abuse',
            code: 'urn:au-cds:error:cds-all:GeneralError/Expected',
            count: 3,
          },
        ],
        errors: [
          {
            error: 'invalidDate',
            status: 400,
            code: 'urn:au-cds:error:cds-all:Field/InvalidDateTime',
            count: 87,
          },
        ],
      },
    ],
    records: {
      records: 18_400,
      blocks: 9120,
      chains: 12,
      digest: '5f2c1e0f3b8a4d7e9c6b1a2d3f4e5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5',
    },
  },
}

export const correctionNotice: CorrectionNotice = {
  customerId: 'cust-1',
  type: 'banking.transaction',
  isDeleted: false,
  data: 'Transaction',
  accountId: 'acc-4711',
  recordId: 'txn-1',
  corrected: '2025-09-10T14:20:00+10:00',
  noticeDue: '2025-09-17',
  thirdParty: consent.thirdParty,
  consentId: consent.consentId,
  disclosures: 3,
  firstDisclosed: '2025-08-01T09:31:30+10:00',
  lastDisclosed: '2025-09-10T08:00:05+10:00',
}
