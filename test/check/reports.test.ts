import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  formatHtmlReport,
  formatJunitReport,
  formatTextReport,
  type Report,
} from '../../src/check/index.ts'
import type { HttpApp } from '../../src/http/app.ts'
import { changeAnswers } from '../support/change-answers.ts'
import { describeOn, shareOnEachEngine } from '../support/engines.ts'
import { onPages, onStatus, onStore } from './faults/fault.ts'
import { onlyChecks, openBank, openMemoryReplayStore } from './provider.ts'

/** Some of the checks that fail if the texts of errors are wrong. */
const onlyErrors = onlyChecks(
  'errors.customer.unknown',
  'errors.account.unknown',
  'errors.accounts.unknown',
)

const hostile = `</script><script>alert(1)</script><img src=x onerror="alert(2)">' & ]]> \u0007\u001b[31m`

describeOn('sqlite', 'a report', () => {
  const sharedBank = shareOnEachEngine((scope) => openBank(scope, openMemoryReplayStore()))
  const opened = shareOnEachEngine(async (scope): Promise<Report> => {
    const { check } = await openBank(scope, openMemoryReplayStore())
    const seam = {
      answer: (body: unknown, { status }: { status: number }) =>
        status >= 400 ? JSON.stringify({ error: { message: hostile } }) : body,
    }
    return check(seam, onlyErrors)
  })

  it('has the clause, the request without its token and the response of every failure', async () => {
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

  it('contains no token', async () => {
    const report = await opened()

    for (const text of [
      JSON.stringify(report),
      formatHtmlReport(report),
      formatJunitReport(report),
      formatTextReport(report),
    ]) {
      assert.doesNotMatch(text, /eyJ[\w-]{20,}/)
    }
  })

  it('contains no token that the provider returned in a body or in a header', async () => {
    const echo = await sharedBank()
    const seam = {
      app: (app: HttpApp) =>
        changeAnswers(app, ({ headers: { authorization } }, reply, body) => {
          reply.header('x-received', String(authorization))
          return reply.statusCode < 400
            ? body
            : JSON.stringify({ error: { received: authorization } })
        }),
    }

    const report = await echo.check(seam, onlyErrors)

    const [exchange] = report.results.find(({ judgement }) => judgement === 'fail')?.evidence ?? []
    assert.equal(exchange?.response?.headers['x-received'], 'Bearer [token]')
    assert.match(exchange?.response?.body ?? '', /Bearer \[token\]/)
    assert.doesNotMatch(JSON.stringify(report), /eyJ[\w-]{20,}/)
  })

  it('is created in linear time for links of hundreds of thousands of characters', async () => {
    const { check } = await sharedBank()
    const seam = onPages((page) => {
      if (page.links.next) page.links.next += `&x=${'x'.repeat(500_000)}`
    }, 'B3')

    const { results } = await check(seam, {
      ...onlyChecks('paging.links.next'),
      capabilities: ['no-energy'],
    })

    const [failed] = results
    assert.equal(failed?.judgement, 'fail')
    assert.ok(JSON.stringify(failed).length < 20_000)
  })

  it('is a page that runs no code of the provider and loads nothing', async () => {
    const page = formatHtmlReport(await opened())

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

  it('is well-formed XML for any response of the provider', async () => {
    const report = await opened()
    const xml = formatJunitReport(report)

    assert.deepEqual(findErrors(xml), [])
    assert.equal(xml.match(/<testcase /g)?.length, report.results.length)
    assert.equal(
      xml.match(/<failure /g)?.length,
      report.results.filter(({ judgement }) => judgement === 'fail').length,
    )
  })

  it('has a remark, and no failure in a strict run, for a provider that rejects tokens with 403', async () => {
    const { check } = await sharedBank()
    const seam = onStatus(401, (body, { reply }) => {
      reply.status(403)
      return body
    })

    const report = await check(seam, { ...onlyChecks('tokens.status'), strict: true })

    const [result] = report.results
    assert.equal(result?.judgement, 'pass')
    assert.match(result.remark ?? '', /403 is accepted\. 401 .* is better/)
    for (const format of [formatHtmlReport, formatJunitReport, formatTextReport]) {
      assert.match(format(report), /401 with WWW-Authenticate: Bearer is better/)
    }
  })

  it('names the accounts without a record in a remark', async () => {
    const { check } = await sharedBank()
    const seam = onStore((store) => ({
      readContact: async (customerId, accountId) =>
        accountId === 'e-1' ? { missing: 'contact' } : store.readContact(customerId, accountId),
    }))

    const report = await check(seam, { ...onlyChecks('consent.accounts.records'), strict: true })

    assert.equal(report.results[0]?.judgement, 'pass')
    assert.match(formatTextReport(report), /remark: .*contact of customer c-ana: e-1.*valid/)
  })

  it('contains no control characters for the terminal', async () => {
    const text = formatTextReport(await opened())

    assert.match(text, /errors\.customer\.unknown/)
    assert.ok(![...text].some((character) => character !== '\n' && /\p{Cc}/u.test(character)))
  })
})

/** The errors in the XML: elements that are not closed or not open, and unescaped < and &. */
function findErrors(xml: string): string[] {
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
