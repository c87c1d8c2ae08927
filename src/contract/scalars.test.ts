import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ScalarName, scalars } from './scalars.ts'

const cases: Record<ScalarName, { accepts: readonly string[]; rejects: readonly string[] }> = {
  id: {
    accepts: ['a', 'acc 4711/ü%?', '😀'.repeat(256), 'x'.repeat(256)],
    rejects: ['', 'x'.repeat(257), '😀'.repeat(257), 'tab\there', 'nul\u0000', 'lone \ud800'],
  },
  feedName: {
    accepts: ['a', '7', 'Core.banking_2-eu', 'x'.repeat(64)],
    rejects: ['', '.a', '-a', '_a', 'a b', 'a/b', 'ü', 'x'.repeat(65), 'a\n'],
  },
  uuid: {
    accepts: ['6ba7b810-9dad-41d1-80b4-00c04fd430c8', '6BA7B810-9DAD-41D1-80B4-00C04FD430C8'],
    rejects: [
      '',
      '6ba7b8109dad41d180b400c04fd430c8',
      '6ba7b810-9dad-41d1-80b4-00c04fd430c8\n',
      'x',
    ],
  },
  decimal: {
    accepts: ['0', '-0.01', '10.00', '123456789012345678901234567890.99', '007'],
    rejects: ['', '+1', '1.', '.5', '1e5', '1,000.00', '$5', ' 1', '1\n', '--1', 'NaN', '٣'],
  },
  wholeNumber: { accepts: ['0', '18'], rejects: ['-1', '1.0', '', 'one', '1 '] },
  dateTime: {
    accepts: [
      '2025-03-31T09:30:00Z',
      '2025-03-31t09:30:00z',
      '2025-03-31T09:30:00.123456789+10:30',
      '2024-02-29T00:00:00Z',
      '2016-12-31T23:59:60Z',
      '2016-12-31T23:59:60.5Z',
      '2017-01-01T10:59:60+11:00',
      '2016-12-31T15:59:60-08:00',
    ],
    rejects: [
      '2025-02-30T00:00:00Z',
      '2025-02-29T00:00:00Z',
      '2025-03-31T24:00:00Z',
      '2025-03-31T09:30:00',
      '2025-03-31T09:30Z',
      '2025-03-31 09:30:00Z',
      '2025-03-31',
      '20250331T093000Z',
      '2025-03-31T09:30:00+25:00',
      '2025-03-31T09:30:00+10:00[Australia/Brisbane]',
      '2025-13-01T00:00:00Z',
      '2025-03-31T09:60:00Z',
      '2025-03-31T09:30:61Z',
      '2025-03-31T09:30:60Z',
      '2016-12-31T23:58:60Z',
      '2016-12-31T23:59:60+11:00',
      '2016-12-31T22:59:60Z',
      '2016-12-32T23:59:60Z',
      '2025-03-31T09:30:00.1234567890Z',
      'yesterday',
      '',
    ],
  },
  localDateTime: {
    accepts: ['2025-04-01T00:30:00', '2025-04-01T00:30:00.5'],
    rejects: [
      '2025-04-01T00:30:00Z',
      '2025-04-31T00:30:00',
      '2025-04-01',
      '2025-04-01T00:30',
      '2016-12-31T23:59:60',
      '2025-04-01T00:30:00.1234567890',
    ],
  },
  date: {
    accepts: ['2025-02-28', '2024-02-29'],
    rejects: ['2025-02-30', '2025-2-3', '20250203', '2025-02-28T00:00:00Z', '28/02/2025', ''],
  },
  dateOrDateTime: {
    accepts: ['2025-02-28', '2025-02-28T00:00:00Z'],
    rejects: ['2025-02-30', '07-01', '2025-02-28T00:00:00'],
  },
  seasonStart: { accepts: ['07-01', '02-29', '2025-02-28'], rejects: ['02-30', '13-01', '7-1'] },
  duration: {
    accepts: ['P1M', 'P1D', 'P3M', 'P7Y', 'P1Y2M3DT4H5M6S', 'PT0.5H', 'P2W'],
    rejects: ['P1X', 'P', 'PT', '-P1D', '+P1D', 'p1d', '1M', 'P1M ', 'P1.5M', ''],
  },
  email: {
    accepts: ['ana@example.com', 'ANA+tag@host'],
    rejects: [
      '',
      'a@b,c@d',
      '@@b',
      'ana',
      'ana@',
      '@host',
      'a b@host',
      'ana@host\n',
      `${'a'.repeat(320)}@host`,
    ],
  },
  webUri: {
    accepts: ['https://bank.example', 'http://127.0.0.1:80/a?b=c#d', 'HTTPS://bank.example/%C3%BC'],
    rejects: [
      '',
      'bank.example',
      '/terms',
      '//bank.example',
      'https:bank.example',
      'https://',
      'https://bank.example/ü',
      'https://bank.example/a b',
      'https://bank.example/%zz',
      'https://bank.example\n',
      ' https://bank.example',
      'javascript:alert(1)',
      'javascript://bank.example/%0Aalert(1)',
      'data:text/html,x',
      'ftp://bank.example',
      'urn:a:b',
    ],
  },
}

for (const [name, { accepts, rejects }] of Object.entries(cases)) {
  const { mustBe, test } = scalars[name as ScalarName]

  describe(mustBe, () => {
    for (const text of accepts) {
      it(`accepts ${JSON.stringify(text).slice(0, 60)}`, () => assert.equal(test(text), true))
    }
    for (const text of rejects) {
      it(`rejects ${JSON.stringify(text).slice(0, 60)}`, () => assert.equal(test(text), false))
    }
  })
}
