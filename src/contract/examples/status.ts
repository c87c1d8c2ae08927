import type { PlatformStatus } from '../records/status.ts'
import { feedState } from './intake.ts'

export const platformStatus: PlatformStatus = {
  time: '2026-11-16T03:20:16Z',
  servers: [
    {
      role: 'platform',
      status: 'ok',
      reasons: [],
      version: '0.1.0',
      started: '2026-11-16T03:00:00Z',
    },
    { role: 'provider', status: 'ok', reasons: [], url: 'https://bank.example' },
    {
      role: 'intake',
      status: 'unavailable',
      reasons: ['cannot be reached (ECONNREFUSED)'],
      url: 'https://intake.bank.example',
      since: '2026-11-16T03:12:00Z',
    },
  ],
  database: 'sqlite',
  counts: {
    customers: 25,
    products: 12,
    drafts: 1,
    activeConsents: 3,
    unavailable: [{ name: 'accounts', reason: 'pending' }],
  },
  feeds: [feedState],
  lastLoad: {
    committed: '2026-11-16T03:01:00Z',
    created: 9120,
    changed: 0,
    unchanged: 0,
    deleted: 0,
  },
}
