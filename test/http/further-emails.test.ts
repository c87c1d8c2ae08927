import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { customer as customerLine } from '../support/lines.ts'
import { type Provider, sharedProvider } from '../support/provider.ts'

const customer = (id: string, emails?: readonly string[], fields: object = {}) => ({
  ...customerLine(id, { name: `Customer ${id}`, email: `${id}@example.com`, ...fields }),
  ...(emails && { emails }),
})

const provider = sharedProvider([
  customer('firm', ['clerk@firm.example', 'Director@Firm.example']),
  customer('shop', ['clerk@firm.example', 'shop@example.com']),
  customer('clerk', [], { email: 'clerk@firm.example', phoneNumber: '+61 1' }),
  customer('silent', ['agent@example.com'], { email: undefined }),
  customer('idna', ['u@bücher.example', 'straße@example.com']),
  ...['mover', 'leaver', 'renamed'].map((id) => customer(id, [`agent-of-${id}@example.com`])),
])

async function find({ post }: Provider, email: string): Promise<string[]> {
  const { status, body } = await post('/auth/v1/customer/search', { email })
  assert.equal(status, 200)
  return body.data.map(({ id }: { id: string }) => id)
}

describe('a further e-mail address of a customer', () => {
  it('finds every customer that has it, beside those whose own address it is, once each', async () => {
    const here = await provider()

    assert.deepEqual(await find(here, 'clerk@firm.example'), ['clerk', 'firm', 'shop'])
    assert.deepEqual(await find(here, 'shop@example.com'), ['shop'])
    assert.deepEqual(await find(here, 'agent@example.com'), ['silent'])
  })

  for (const [email, ids] of [
    ['CLERK@FIRM.EXAMPLE', ['clerk', 'firm', 'shop']],
    ['director@firm.example', ['firm']],
    ['u@xn--bcher-kva.example', ['idna']],
    ['U@BÜCHER.example', ['idna']],
    ['strasse@example.com', []],
    ['irector@firm.example', []],
    ['%', undefined],
  ] as const) {
    it(`is compared like an address of the record: ${email}`, async () => {
      const here = await provider()

      if (ids) assert.deepEqual(await find(here, email), ids)
      else assert.equal((await here.post('/auth/v1/customer/search', { email })).status, 400)
    })
  }

  it('is in no response', async () => {
    const { get, post } = await provider()

    const found = await post('/auth/v1/customer/search', { email: 'clerk@firm.example' })
    const answers = [
      found,
      await get('/auth/v1/customer/firm'),
      await get('/auth/v1/customer/firm/accounts'),
      await get('/v1/banking/customer/firm/accounts'),
    ]

    assert.deepEqual(found.body.data[1], { id: 'firm', name: 'Customer firm' })
    for (const { status, text } of answers) {
      assert.equal(status, 200)
      assert.doesNotMatch(text, /clerk@|irector@|emails/)
    }
  })

  it('is replaced by those of the next line of the customer, and removed by a line without any', async () => {
    const here = await provider()
    const agent = 'agent-of-mover@example.com'

    await here.load([customer('mover', ['new@example.com', agent])])
    const both = [await find(here, agent), await find(here, 'new@example.com')]
    await here.load([customer('mover', ['new@example.com'])])
    const one = [await find(here, agent), await find(here, 'new@example.com')]
    await here.load([customer('mover')])
    const none = [await find(here, 'new@example.com'), await find(here, 'mover@example.com')]

    assert.deepEqual(
      [both, one, none],
      [
        [['mover'], ['mover']],
        [[], ['mover']],
        [[], ['mover']],
      ],
    )
  })

  it('is removed with the customer, also for one who is loaded again', async () => {
    const here = await provider()
    const agent = 'agent-of-leaver@example.com'

    await here.load([{ type: 'customer', delete: { id: 'leaver' } }])
    const deleted = await find(here, agent)
    await here.load([customer('leaver')])

    assert.deepEqual([deleted, await find(here, agent)], [[], []])
    assert.deepEqual(await find(here, 'leaver@example.com'), ['leaver'])
  })

  it('remains when only the record changes', async () => {
    const here = await provider()
    const agent = 'agent-of-renamed@example.com'

    await here.load([customer('renamed', [agent], { name: 'Another name' })])

    assert.deepEqual(await find(here, agent), ['renamed'])
  })
})
