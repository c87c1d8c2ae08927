import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { type Provider, sharedProvider } from '../support/provider.ts'

const searchPath = '/auth/v1/customer/search'

/** Letters that some kinds of case folding or normalization treat as equal. */
const letters = ['a', 'A', 'k', 'K', '\u212a', 'ss', 'SS', 'ß', 'ẞ', 'i', 'I', 'ı', 'İ']
const moreLetters = ['é', 'É', 'e\u0301', 'σ', 'ς', 'ﬁ', 'fi', 'ａ', 'ſ', '.', '+', '-']
const domains = [
  ['example.com', 'EXAMPLE.com', 'Example.COM'],
  ['bücher.example', 'BÜCHER.Example', 'bu\u0308cher.example', 'xn--bcher-kva.example'],
  ['straße.example', 'xn--strae-oqa.example', 'STRAßE.example'],
  ['strasse.example', 'Strasse.example'],
  ['例え。テスト', '例え.テスト', 'xn--r8jz45g.xn--zckzah'],
]

const address = fc
  .tuple(
    fc.array(fc.constantFrom(...letters, ...moreLetters), { minLength: 1, maxLength: 2 }),
    fc.constantFrom(...domains.flat()),
  )
  .map(([local, domain]) => `x${local.join('')}@${domain}`)

/** The expected identity, independent of the code: the local part with A–Z in lower case, and the domain. */
function identity(email: string): string {
  const [local = '', domain = ''] = email.split('@')
  const lower = [...local].map((letter) => (/^[A-Z]$/.test(letter) ? letter.toLowerCase() : letter))
  return `${lower.join('')} ${domains.findIndex((spellings) => spellings.includes(domain))}`
}

const addresses = [
  ...new Set([
    ...fc.sample(address, { numRuns: 400, seed: 20260701 }),
    'straße@example.com',
    'strasse@example.com',
    'STRASSE@example.com',
  ]),
]

/** Invalid domain names are compared literally, except for A–Z. */
const unusual = [
  'ü@1.1',
  'u@１.１',
  'u@1.0.0.1',
  'u@x/y',
  'u@X/y',
  'u@x',
  'u@x:80',
  'u@bü/y',
  'u@bü',
]
const moreUnusual = [
  'u@b%75',
  'u@bu',
  'u@b%75\u00fc',
  'u@-bü-',
  'u@xn--ü',
  'u@xn--\u0131',
  'u@[::1]',
]

const provider = sharedProvider([
  ...addresses.map((email, index) => lines.customer(`c${index}`, { email })),
  ...[...unusual, ...moreUnusual].map((email, index) =>
    lines.customer(`unusual${index}`, { email }),
  ),
])

async function search({ post }: Provider, email: string): Promise<string[]> {
  const { status, body } = await post(searchPath, { email })
  assert.equal(status, 200)
  return body.data.map(({ id }: { id: string }) => id).sort()
}

describe('C1', () => {
  it('ignores only the case of A–Z and IDNA-equivalent domains', async () => {
    const opened = await provider()

    for (const email of addresses) {
      const same = addresses.flatMap((other, index) =>
        identity(other) === identity(email) ? [`c${index}`] : [],
      )
      assert.deepEqual(await search(opened, email), same.sort(), email)
    }
  })

  it('compares a domain that IDNA cannot convert literally, except for A–Z', async () => {
    const opened = await provider()
    const all = [...unusual, ...moreUnusual]

    for (const [index, email] of all.entries()) {
      const upper = email.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())
      const same = email.toLowerCase() === 'u@x/y' ? ['unusual3', 'unusual4'] : [`unusual${index}`]
      assert.deepEqual(await search(opened, email), same, email)
      assert.deepEqual(await search(opened, upper), same, upper)
    }
  })
})
