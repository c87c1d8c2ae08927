import assert from 'node:assert/strict'
import { it } from 'node:test'
import { htmlReport, junitReport, type Report, textReport } from '../../src/check/index.ts'
import type { HttpApp } from '../../src/http/app.ts'
import { describeOn, sharedOnEachEngine } from '../support/engines.ts'
import { onPages } from './faults/fault.ts'
import { claimsInMemory, errorsAlone, nextLinksAlone, openBank } from './provider.ts'

const hostile = `</script><script>alert(1)</script><img src=x onerror="alert(2)">' & ]]> \u0007\u001b[31m`

describeOn('sqlite', 'a report', () => {
  const sharedBank = sharedOnEachEngine((scope) => openBank(scope, claimsInMemory()))
  const opened = sharedOnEachEngine(async (scope): Promise<Report> => {
    const { check } = await openBank(scope, claimsInMemory())
    const seam = {
      answer: (body: unknown, { status }: { status: number }) =>
        status >= 400 ? JSON.stringify({ error: { message: hostile } }) : body,
    }
    return check(seam, errorsAlone)
  })

  it('has for every failure the clause, what was sent without its token, and what came back', async () => {
    const { results } = await opened()

    const failed = results.find(({ id }) => id === 'errors.customer.unknown')
    const [exchange] = failed?.evidence ?? []
    assert.equal(failed?.judgement, 'fail')
    assert.match(failed?.clause.quote ?? '', /Customer not found/)
    assert.match(failed?.expected ?? '', /Customer not found/)
    assert.equal(exchange?.request.headers['authorization'], 'Bearer [token]')
    assert.equal(exchange?.response?.status, 404)
    assert.match(exchange?.response?.body ?? '', /onerror/)
  })

  it('never has a token in it', async () => {
    const report = await opened()

    for (const text of [
      JSON.stringify(report),
      htmlReport(report),
      junitReport(report),
      textReport(report),
    ]) {
      assert.doesNotMatch(text, /eyJ[\w-]{20,}/)
    }
  })

  it('has no token in it that the provider sent back, in a body or in a header', async () => {
    const echo = await sharedBank()
    const seam = {
      app: (app: HttpApp) =>
        app.addHook('onSend', async (request, reply, payload) => {
          reply.header('x-received', String(request.headers.authorization))
          return reply.statusCode < 400
            ? payload
            : JSON.stringify({ error: { received: request.headers.authorization } })
        }),
    }

    const report = await echo.check(seam, errorsAlone)

    const [exchange] = report.results.find(({ judgement }) => judgement === 'fail')?.evidence ?? []
    assert.equal(exchange?.response?.headers['x-received'], 'Bearer [token]')
    assert.match(exchange?.response?.body ?? '', /Bearer \[token\]/)
    assert.doesNotMatch(JSON.stringify(report), /eyJ[\w-]{20,}/)
  })

  it('is made in linear time of links that are hundreds of thousands of characters long', async () => {
    const { check } = await sharedBank()
    const seam = onPages((page) => {
      if (page.links.next) page.links.next += `&x=${'x'.repeat(500_000)}`
    }, 'B3')

    const { results } = await check(seam, nextLinksAlone)

    const [failed] = results
    assert.equal(failed?.judgement, 'fail')
    assert.ok(JSON.stringify(failed).length < 20_000)
  })

  it('is a page that runs nothing of the provider’s and asks for nothing', async () => {
    const page = htmlReport(await opened())

    assert.equal(page.match(/<script/g)?.length, 1)
    const tags = page.match(/<[a-z][^>]*>/gi) ?? []
    assert.ok(tags.length > 100)
    assert.deepEqual(
      tags.filter((tag) => /^<(img|link|iframe|object|base)|\s(src|href|on\w+)=/i.test(tag)),
      [],
    )
    assert.doesNotMatch(page, /@import|url\(/)
    assert.match(
      page,
      /default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'/,
    )
    assert.match(page, /&lt;script&gt;alert\(1\)/)
    assert.ok(![...page].some((character) => character !== '\n' && /\p{Cc}/u.test(character)))
  })

  it('is XML that is well formed, whatever the provider answered', async () => {
    const report = await opened()
    const xml = junitReport(report)

    assert.deepEqual(unclosed(xml), [])
    assert.equal(xml.match(/<testcase /g)?.length, report.results.length)
    assert.equal(
      xml.match(/<failure /g)?.length,
      report.results.filter(({ judgement }) => judgement === 'fail').length,
    )
  })

  it('does not let the provider steer the terminal', async () => {
    const text = textReport(await opened())

    assert.match(text, /errors\.customer\.unknown/)
    assert.ok(![...text].some((character) => character !== '\n' && /\p{Cc}/u.test(character)))
  })
})

/** Elements that are opened and not closed, or closed and not open; text must have no bare < or &. */
function unclosed(xml: string): string[] {
  const open: string[] = []
  const wrong: string[] = []
  const rest = xml.replaceAll(
    /<(\/?)([\w?-]+)((?:\s[\w-]+="[^"<]*")*)\s*(\/|\?)?>/g,
    (_, end, name, _attributes, self) => {
      if (end && open.pop() !== name) wrong.push(name)
      if (!end && !self) open.push(name)
      return ''
    },
  )
  const bare = rest.match(/.{0,40}(<|&(?!(amp|lt|gt|quot);)).{0,40}/)?.[0]
  if (bare !== undefined) wrong.push(bare)
  return [...wrong, ...open]
}
