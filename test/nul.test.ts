import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { errorTable } from '../src/contract/errors.ts'
import {
  intakeOperations,
  type Operation,
  platformOperations,
  scopes,
} from '../src/contract/index.ts'
import { listErrors } from '../src/contract/operation.ts'
import { asNode } from '../src/contract/schema.ts'
import { minimalProduct } from './catalogue/products.ts'
import { issuer, openConsentPlatform } from './consent/platform.ts'
import { createExamples, put, removal } from './load/lines.ts'
import { createScope, describe, newDatabase } from './support/engines.ts'
import { temporaryFolder } from './support/folder.ts'
import { type Answer, send } from './support/http.ts'
import { openIntake } from './support/intake.ts'
import * as lines from './support/lines.ts'
import { dumpDatabase } from './support/load.ts'
import { createBody, formatPath, getOperation, refs, refsWithBody } from './support/operations.ts'
import { openPlatform } from './support/platform.ts'
import { runInProcess } from './support/process.ts'
import { openProvider } from './support/provider.ts'

const nul = '\u0000'

/** Copies of a JSON value, each with U+0000 in another text or in the name of a field. */
function withNul(value: unknown): unknown[] {
  if (typeof value === 'string') return [`${value}${nul}`]
  if (Array.isArray(value)) {
    return value.flatMap((each, index) =>
      withNul(each).map((changed) => value.with(index, changed)),
    )
  }
  if (typeof value !== 'object' || value === null) return []
  const named = Object.entries(value).flatMap(([name, each]) =>
    withNul(each).map((changed) => ({ ...value, [name]: changed })),
  )
  return [...named, { ...value, [nul]: 1 }]
}

function assertNoFailure({ status, text }: Answer, request: string): void {
  assert.ok(status < 500, `${request}: ${status} ${text}`)
}

const rejected = /must not contain U\+0000|must be |is not a field|is not a record/

describe('U+0000 in a line', () => {
  it('is rejected in every field of every type, and names the field', async (t) => {
    const folder = await temporaryFolder(t)
    const database = await newDatabase(createScope(t))
    const examples = [
      ...Object.values(createExamples()),
      put.account('a1', ['c1']),
      removal('customer', { id: 'c1' }),
      removal('banking.transaction', { accountId: 'a1', transactionId: 't1' }),
    ]
    const changed = examples.flatMap((line) => withNul(JSON.parse(line)))
    const [file, errors] = [join(folder, 'lines.ndjson'), join(folder, 'errors.txt')]
    writeFileSync(file, changed.map((line) => `${JSON.stringify(line)}\n`).join(''))

    const load = ['load', file, '--errors', errors, '--database', database]
    const { status } = await runInProcess(load)

    assert.equal(status, 1)
    assert.equal(await dumpDatabase(database), '')
    const reports = readFileSync(errors, 'utf8').trimEnd().split('\n')
    const reported = new Set(reports.map((report) => /:(\d+):/.exec(report)?.[1]))
    assert.equal(reported.size, changed.length)
    for (const report of reports) assert.match(report, rejected)
    assert.ok(reports.some((report) => /description: must not contain U\+0000/.test(report)))
  })

  it('is rejected in a batch, and may be spelt in a text', async (t) => {
    const intake = await openIntake(createScope(t))
    const bad = lines.customer('c1', { name: `Ana${nul}` })
    const good = lines.customer('c2', { name: String.raw`Ana\u0000` })

    const answer = await intake.put('core', 1, [JSON.stringify(bad)])
    const other = await intake.put('core', 1, [JSON.stringify(good)])

    assert.equal(answer.status, 422)
    assert.match(answer.text, /"field":"name","reason":"must not contain U\+0000"/)
    assert.equal(other.status, 200, other.text)
    for (const [path, sent] of [
      ['/v1/feeds/%00/batches/1', { method: 'PUT', body: '' }],
      ['/v1/feeds/%00', {}],
    ] as const) {
      const headers = {
        authorization: `Bearer ${intake.token}`,
        'content-type': 'application/x-ndjson',
      }
      assertNoFailure(await intake.send(path, { ...sent, headers }), path)
    }
  })
})

describe('U+0000 in a request to a provider', () => {
  it('matches no id, and is rejected in a parameter', async (t) => {
    const provider = await openProvider(createScope(t), [
      lines.customer('ana'),
      lines.bankingAccount('a1', { ana: true }),
    ])

    for (const ref of refs) {
      const { method, parameters } = getOperation(ref)
      const ask = (question: Parameters<typeof formatPath>[1]) => {
        const path = formatPath(ref, question)
        return method === 'GET'
          ? provider.get(path)
          : provider.post(path, createBody(ref, question))
      }
      for (const question of [{ customer: nul }, { accounts: [`a1${nul}`] }]) {
        const { status, text } = await ask(question)
        assert.ok([200, 404, 422].includes(status), `${ref} ${text}`)
      }
      for (const parameter of parameters) {
        const { status, text } = await ask({ accounts: ['a1'], query: `${parameter}=%00` })
        assert.equal(status, 400, `${ref} ${parameter} ${text}`)
      }
    }
    assert.ok(refsWithBody.length > 0)
    const { body } = await provider.post('/v1/customers', { email: `ana@example.com${nul}` })
    assert.ok(body)
  })
})

describe('U+0000 in a request to a platform', () => {
  it('is rejected or not found in every path, parameter and body', async (t) => {
    const platform = await openPlatform(createScope(t))
    const token = await platform.issueToken(await platform.register(scopes))
    const authorization = `Bearer ${token}`
    const bodies = withNul(minimalProduct)

    for (const operation of Object.values<Operation>({
      ...platformOperations,
      ...intakeOperations,
    })) {
      const { method, path, query, body } = operation
      const plain = path.replaceAll(/\{\w+\}/g, 'x')
      const paths = [
        ...(path === plain
          ? []
          : ['%00', 'x'.repeat(300)].map((id) => path.replaceAll(/\{\w+\}/g, id))),
        ...Object.keys(asNode(query).properties ?? {}).map((name) => `${plain}?${name}=%00`),
      ]
      for (const each of paths) {
        const answer = await platform.send(each, {
          method,
          headers: { authorization },
          ...(body && { body: minimalProduct }),
        })
        assertNoFailure(answer, `${method} ${each}`)
        assert.ok(answer.status >= 400, `${method} ${each}: ${answer.status}`)
        const documented = listErrors(operation).map((code) => errorTable[code].status as number)
        // The platform does not have the operations of the intake.
        if (operation.base === 'platform') assert.ok(documented.includes(answer.status), each)
      }
      const fields = asNode(body ?? {}).properties ?? {}
      const others = Object.keys(fields).map((name) => ({ [name]: nul }))
      for (const each of body ? [...bodies, ...others] : []) {
        const answer = await platform.send(plain, {
          method,
          headers: { authorization },
          body: each,
        })
        assertNoFailure(answer, `${method} ${path} ${JSON.stringify(each)}`)
        assert.ok(answer.status >= 400, `${method} ${path}: ${answer.status}`)
      }
    }
  })

  it('is reported with the field of a product or a draft', async (t) => {
    const { create } = await openPlatform(createScope(t))

    const { status, text } = await create({ ...minimalProduct, brand: `A${nul}` })

    assert.equal(status, 400)
    assert.match(text, /brand must not contain U\+0000/)
  })

  it('is no credential', async (t) => {
    const platform = await openPlatform(createScope(t))
    const form = 'application/x-www-form-urlencoded'
    const basic = Buffer.from(`a${nul}:b${nul}`).toString('base64')

    for (const sent of [
      { body: { client_id: nul, client_secret: nul } },
      {
        body: `grant_type=client_credentials&client_id=%00&client_secret=%00`,
        headers: { 'content-type': form },
      },
      {
        body: 'grant_type=client_credentials',
        headers: { 'content-type': form, authorization: `Basic ${basic}` },
      },
    ]) {
      const { status } = await platform.send('/v1/token', { method: 'POST', ...sent })
      assert.ok([400, 401].includes(status), `${status}`)
    }
  })
})

describe('U+0000 in a consent flow', () => {
  it('is rejected by every endpoint', async (t) => {
    const { port } = await openConsentPlatform(createScope(t))
    const base = new URL(issuer).pathname.replace(/\/$/, '')
    const { body: configuration } = await send(port, `${base}/.well-known/openid-configuration`)
    const endpoints = Object.entries(configuration as Record<string, unknown>)
      .filter(([name]) => name.endsWith('_endpoint'))
      .map(([, url]) => new URL(String(url)).pathname)
    assert.ok(endpoints.length > 4)
    const names = [
      'client_id',
      'request_uri',
      'code',
      'token',
      'refresh_token',
      'cdr_arrangement_id',
    ]
    const fields = names.map((name) => `${name}=%00`).join('&')

    for (const path of endpoints) {
      assertNoFailure(await send(port, `${path}?${fields}`), path)
      for (const grant of ['authorization_code', 'refresh_token']) {
        const answer = await send(port, path, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: `grant_type=${grant}&${fields}`,
        })
        assertNoFailure(answer, `POST ${path}`)
      }
    }
    for (const path of [
      '/consent/%00',
      '/consents/%00',
      '/consents/%00/stop',
      '/cds-au/v1/banking/accounts/%00',
    ]) {
      for (const method of ['GET', 'POST']) {
        assertNoFailure(await send(port, base + path, { method }), `${method} ${path}`)
      }
    }
  })
})
