import type { CheckReport, CheckResult, ListedCheck } from '../records/checks.ts'

const checkResult: CheckResult = {
  id: 'paging.links.last',
  group: 'paging',
  title: 'links.last has the last page and the page size',
  clause: {
    section: 'Endpoints, Common conventions',
    reference: '4',
    quote: 'links: first, last, next, prev.',
  },
  judgement: 'fail',
  evidence: [
    {
      request: {
        method: 'GET',
        url: 'https://bank.example/v1/banking/customer/cust-1/accounts?page-size=1',
        headers: [{ name: 'authorization', value: 'Bearer [token]' }],
      },
      response: {
        status: 200,
        headers: [{ name: 'content-type', value: 'application/json' }],
        body: '{"data":{"accounts":[]},"links":{"first":"page=1&page-size=1"},"meta":{"totalRecords":0,"totalPages":0}}',
      },
    },
  ],
  reason: 'B1: links.last is missing',
  expected: 'links.last with page and page-size',
  hint: 'links.last is present on every page, also on an empty one.',
}

export const checkReport: CheckReport = {
  target: 'https://bank.example',
  subdomain: 'bank',
  startedAt: '2025-07-01T09:30:01Z',
  seconds: 12.4,
  profile: 'smoke',
  strict: false,
  capabilities: [],
  requests: 214,
  results: [checkResult],
}

export const listedCheck: ListedCheck = {
  checkId: '6b0d9a1e-7c55-4f0e-9e0a-3f1a2b6c8d90',
  state: 'completed',
  profile: 'smoke',
  startedAt: '2025-07-01T09:30:00Z',
  startedBy: 'operations team',
  seconds: 13.1,
  progress: { done: 1, total: 1, passed: 0, failed: 1, skipped: 0 },
  groups: ['paging'],
}
