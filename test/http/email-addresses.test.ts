import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { type Provider, sharedProvider } from '../support/provider.ts'

const search = '/auth/v1/customer/search'

/** Letters that some way of ignoring case or form takes for the same. */
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

/** Written from the rule, not from the code: the local part with A–Z in lower case, and which domain it is. */
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

/** What is no domain name is compared as it is written, but for A–Z. */
const odd = ['ü@1.1', 'u@１.１', 'u@1.0.0.1', 'u@x/y', 'u@X/y', 'u@x', 'u@x:80', 'u@bü/y', 'u@bü']
const moreOdd = ['u@b%75', 'u@bu', 'u@b%75\u00fc', 'u@-bü-', 'u@xn--ü', 'u@xn--\u0131', 'u@[::1]']

const provider = sharedProvider([
  ...addresses.map((email, index) => lines.customer(`c${index}`, { email })),
  ...[...odd, ...moreOdd].map((email, index) => lines.customer(`odd${index}`, { email })),
])

async function found({ post }: Provider, email: string): Promise<string[]> {
  const { status, body } = await post(search, { email })
  assert.equal(status, 200)
  return body.data.map(({ id }: { id: string }) => id).sort()
}

describe('C1', () => {
  it('matches two addresses exactly where A–Z and the domain by IDNA are all that differs', async () => {
    const opened = await provider()

    for (const email of addresses) {
      const same = addresses.flatMap((other, index) =>
        identity(other) === identity(email) ? [`c${index}`] : [],
      )
      assert.deepEqual(await found(opened, email), same.sort(), email)
    }
  })

  it('takes a domain that cannot be converted as it is written, but for A–Z', async () => {
    const opened = await provider()
    const all = [...odd, ...moreOdd]

    for (const [index, email] of all.entries()) {
      const upper = email.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())
      const same = email.toLowerCase() === 'u@x/y' ? ['odd3', 'odd4'] : [`odd${index}`]
      assert.deepEqual(await found(opened, email), same, email)
      assert.deepEqual(await found(opened, upper), same, upper)
    }
  })
})
