import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, describeOnce } from '../support/engines.ts'
import { openUpstream, type Respond, respondJson } from '../support/upstream.ts'
import { detailOf, openImport } from './importing.ts'

const listPage = (products: readonly unknown[], next?: string) =>
  respondJson(
    JSON.stringify({ data: { products }, links: { ...(next !== undefined && { next }) } }),
  )

const nothing = '0 products: 0 created, 0 changed, 0 unchanged, 0 not imported\n'
const again = '. What was imported is stored: run the command again to continue.\n'

describe('an import of unusual ids', () => {
  it('stores products with the names of inherited members and with characters of URLs', async (t) => {
    const ids = ['__proto__', 'constructor', 'a/b?c#d', '100 %', '\u00e9\ud83d\ude00']
    const { holder, run, isStored } = await openImport(t, ids)

    const { status, stdout } = await run()

    assert.equal(status, 0, stdout)
    assert.deepEqual(holder.requestedIds().sort(), ids.toSorted())
    for (const id of ids) assert.ok(await isStored(id), id)
    assert.match((await run()).stdout, /^5 products: 0 created, 0 changed, 5 unchanged/)
  })

  it('names products whose id is invalid, and imports the others', async (t) => {
    const { holder, run, isStored } = await openImport(t)
    const invalid = ['', '\u0000', '\ud800', 'x'.repeat(257), 7, '..']
    const products = [...invalid.map((productId) => ({ productId })), 'p1', { productId: 'p2' }]
    holder.replaced.set(holder.listPath, listPage(products))

    const { status, stdout } = await run()

    assert.equal(status, 1)
    const reason =
      'productId must be a string of 1 to 256 printable characters, other than . and ..'
    assert.deepEqual(stdout.split('\n'), [
      ...[1, 2, 3, 4, 5, 6, 7].map((n) => `product ${n} of page 1  not imported: ${reason}`),
      '8 products: 1 created, 0 changed, 0 unchanged, 7 not imported',
      '',
    ])
    assert.ok(await isStored('p2'))
  })
})

describeOnce('an import from a server that misbehaves', () => {
  const endlessBody: Respond = (response) => {
    const write = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
      if (!response.destroyed) response.once('drain', write)
    }
    write()
  }
  for (const [name, respond, reason] of [
    ['invalid JSON', respondJson('{"data":'), 'was answered with invalid JSON'],
    ['no products', respondJson('{"data":[]}'), 'was answered without data.products'],
    ['null', respondJson('null'), 'was answered without data.products'],
    ['an endless body', endlessBody, 'was answered with more than 8388608 bytes'],
    [
      'too many products on a page',
      listPage(Array.from({ length: 1001 }, () => ({ productId: 'p1' }))),
      'was answered with more than 1000 products',
    ],
    [
      'bytes that are not UTF-8',
      (response) => response.end(Buffer.from([0x22, 0xff, 0x22])),
      'was not answered in UTF-8',
    ],
    ['no response', (response) => response.destroy(), 'failed: UND_ERR_SOCKET'],
    ['silence', () => {}, 'was not answered completely within 1 s'],
    [
      'half a response',
      (response) => response.write('{"data":'),
      'was not answered completely within 1 s',
    ],
    ['status 406', respondJson('{}', 406), 'was answered with status 406'],
    [
      'a redirect to itself',
      (response, { url }) => response.writeHead(302, { location: url ?? '' }).end(),
      'redirects more than 5 times',
    ],
    [
      'a redirect to an invalid URL',
      (response) => response.writeHead(302, { location: 'http://[' }).end(),
      'redirects to an invalid URL',
    ],
    [
      'an hour of rest',
      (response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
      'was answered with status 429: the server asks to wait 3600 s',
    ],
  ] as const satisfies readonly (readonly [string, Respond, string])[]) {
    it(`fails with the reason: ${name}`, async (t) => {
      const { holder, run } = await openImport(t)
      holder.replaced.set(holder.listPath, respond)

      // Only where it is the reason: on a busy machine, other responses may take longer than a second.
      const timeout = reason.endsWith('within 1 s') ? '1' : '60'
      const { status, stdout, stderr } = await run(holder.url, '--timeout', timeout)

      assert.deepEqual([status, stdout], [1, nothing])
      assert.equal(stderr, `page 1 of ${holder.address}${holder.listPath} ${reason}${again}`)
    })
  }

  it('imports the products of all pages before one that cannot be read', async (t) => {
    const { holder, run, isStored } = await openImport(t)
    holder.replaced.set(holder.listPath, (response, request) => {
      const isFirst = !request.url?.includes('page=2')
      const answer = isFirst
        ? listPage([{ productId: 'p1' }, { productId: 'p2' }], '?page=2')
        : respondJson('{}', 404)
      answer(response, request)
    })

    const { status, stdout, stderr } = await run()

    assert.deepEqual(
      [status, stdout],
      [1, '2 products: 2 created, 0 changed, 0 unchanged, 0 not imported\n'],
    )
    assert.match(stderr, /^page 2 of /)
    assert.deepEqual([await isStored('p1'), await isStored('p2')], [true, true])
  })

  it('stops at a page that it has read before', async (t) => {
    const { holder, run } = await openImport(t)
    holder.replaced.set(holder.listPath, listPage([], '?page=1'))

    const { status, stderr } = await run()

    assert.equal(status, 1)
    assert.match(stderr, /^page 3 of .* is one that was read before\. /)
    assert.equal(holder.requests.length, 2)
  })

  it('stops after 1000 pages', async (t) => {
    const { holder, run } = await openImport(t)
    holder.replaced.set(holder.listPath, (response, request) => {
      const page = Number(new URL(request.url ?? '', holder.address).searchParams.get('page') ?? 1)
      listPage([], `?page=${page + 1}`)(response, request)
    })

    const { status, stderr } = await run()

    assert.equal(status, 1)
    assert.match(stderr, /^page 1001 of .* is more than the 1000 that are read\. /)
    assert.equal(holder.requests.length, 1000)
  })

  for (const [name, createResponse, verb] of [
    ['links.next', (url: string) => listPage([], url), 'refers with links.next'],
    [
      'a redirect',
      (url: string): Respond =>
        (response) =>
          response.writeHead(307, { location: url }).end(),
      'redirects',
    ],
  ] as const) {
    it(`does not follow ${name} to another server`, async (t) => {
      const { holder, run } = await openImport(t)
      const other = await openUpstream(t)
      const url = other.address.replace('//', '//user:secret@')
      holder.replaced.set(holder.listPath, createResponse(`${url}${holder.listPath}`))

      const { status, stderr } = await run()

      assert.equal(status, 1)
      assert.ok(stderr.includes(`${verb} to another server: ${other.address}.`), stderr)
      assert.deepEqual(other.requests, [])
    })
  }

  it('follows a redirect on the same server', async (t) => {
    const { holder, run } = await openImport(t)

    holder.replaced.set('/old/banking/products', (response, { url = '' }) =>
      response.writeHead(301, { location: url.replace('/old', '/cds-au/v1') }).end(),
    )
    holder.replaced.set(
      '/old/banking/products/p1',
      respondJson(JSON.stringify({ data: detailOf('p1') })),
    )
    holder.replaced.set(
      '/old/banking/products/p2',
      respondJson(JSON.stringify({ data: detailOf('p2') })),
    )

    assert.match((await run(`${holder.address}/old`)).stdout, /^2 products: 2 created/)
  })

  it('waits as long as the server asks, and sends the request again', async (t) => {
    const { holder, run } = await openImport(t)
    const path = holder.detailPath('p1')
    let postponedAt = 0
    let waitedMs = 0
    holder.replaced.set(path, (response) => {
      postponedAt = performance.now()
      holder.replaced.set(path, (...args) => {
        waitedMs = performance.now() - postponedAt
        respondJson(JSON.stringify({ data: detailOf('p1') }))(...args)
      })
      response.writeHead(503, { 'retry-after': '1' }).end()
    })

    const { status, stdout, stderr } = await run()

    // A timer may fire a millisecond early.
    assert.ok(waitedMs > 990, `${waitedMs}`)
    assert.deepEqual([status, stderr], [0, 'the server asks to wait 1 second\n'])
    assert.match(stdout, /^2 products: 2 created/)
    assert.deepEqual(holder.requestedIds().sort(), ['p1', 'p1', 'p2'])
  })

  it('gives up after five attempts', async (t) => {
    const { holder, run } = await openImport(t)
    const path = holder.detailPath('p1')
    holder.replaced.set(path, (response) => response.writeHead(429, { 'retry-after': '0' }).end())

    const { status, stderr } = await run()

    assert.equal(status, 1)
    assert.ok(stderr.includes(`${path} was answered with status 429: `), stderr)
    assert.equal(holder.requestedIds().filter((id) => id === 'p1').length, 5)
  })

  it('stops when ten products in a row cannot be read', async (t) => {
    const ids = Array.from({ length: 40 }, (_, index) => `p${index}`)
    const { holder, run } = await openImport(t, ids)
    for (const id of ids.slice(1)) {
      holder.replaced.set(holder.detailPath(id), respondJson('{"data":{"productId":"other"}}'))
    }

    const { status, stdout, stderr } = await run()

    assert.equal(status, 1)
    assert.match(stdout, /p1 {2}not imported: \S+\/p1 was answered with another product\n/)
    assert.match(stdout, /\n11 products: 1 created, .*, 10 not imported\n$/)
    assert.equal(stderr, `10 products in a row could not be read${again}`)
    assert.ok(holder.requestedIds().length < 20)
  })

  it('does not print the query of the URL, which may contain a key', async (t) => {
    const { holder, run } = await openImport(t)
    holder.replaced.set(holder.listPath, respondJson('', 500))

    const { stderr } = await run(
      `${holder.address}${holder.listPath}?key=secret`,
      '--origin',
      'Bank',
    )

    assert.match(stderr, /status 500/)
    assert.ok(!stderr.includes('secret'))
    assert.match(holder.requests[0]?.url ?? '', /key=secret/)
  })

  it('sends the other parameters of the URL with every request, and filters only with the list', async (t) => {
    const { holder, run } = await openImport(t)
    holder.replaced.set(holder.listPath, listPage([{ productId: 'p2' }]))

    const { status, stdout } = await run(`${holder.url}?key=a%26b&brand=Bank`, '--origin', 'Bank')

    assert.equal(status, 0, stdout)
    const [list, detail] = holder.requests.map(({ url }) => url)
    assert.match(list ?? '', /\?key=a%26b&brand=Bank&/)
    assert.equal(detail, `${holder.detailPath('p2')}?key=a%26b`)
  })

  it('requests a product once that is on two pages', async (t) => {
    const { holder, run } = await openImport(t)
    const product = { productId: 'p1', lastUpdated: 'yesterday' }
    holder.replaced.set(holder.listPath, listPage([product, product]))

    assert.match((await run()).stdout, /^1 product: 1 created/)
    assert.deepEqual(holder.requestedIds(), ['p1'])
  })
})

describeOnce('holdfast products import rejects', () => {
  for (const [name, from, error] of [
    ['credentials', 'https://user:secret@bank.example/cds-au/v1', /without credentials/],
    ['a URL that is no URL', 'https://', /must be an http or https URL/],
    ['http to another host', 'http://bank.example/cds-au/v1', /must be an https URL, or/],
    [
      'a file that does not exist',
      'details.json',
      /^details.json cannot be read: no such file or directory\n$/,
    ],
  ] as const) {
    it(name, async (t) => {
      const { run } = await openImport(t)

      const { status, stderr } = await run(from)

      assert.equal(status, from.startsWith('http') ? 2 : 1)
      assert.match(stderr, error)
      assert.ok(!stderr.includes('secret'))
    })
  }

  it('a timeout of 0', async (t) => {
    const { holder, run } = await openImport(t)

    const { status, stderr } = await run(holder.url, '--timeout', '0')

    assert.equal(status, 2)
    assert.match(stderr, /--timeout must be a whole number from 1 to 600/)
  })
})
