import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Operation, providerOperations } from '../../src/contract/index.ts'
import { asNode } from '../../src/contract/schema.ts'
import { describeOnce } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import * as lines from '../support/lines.ts'
import {
  createBody,
  formatPath,
  isEnergy,
  type OperationRequest,
  type Ref,
  refs,
} from '../support/operations.ts'
import { prototypeNames, unusedName } from '../support/prototype-names.ts'
import { type Provider, sharedProvider } from '../support/provider.ts'

const provider = sharedProvider([
  lines.customer('ana'),
  lines.bankingAccount('a1', { ana: true }),
  lines.balance('a1'),
  lines.contact('a1'),
  lines.transaction('a1', 't1'),
  lines.energyAccount('e1', ['ana']),
  lines.billing('e1', 'x', '2025-06-01T00:00:00'),
])

function operationFor(ref: Ref): Operation {
  const found = Object.values<Operation>(providerOperations).find((each) => each.ref === ref)
  return found ?? assert.fail(`no operation ${ref}`)
}

interface Sent extends OperationRequest {
  readonly body?: unknown
}

function ask(here: Provider, ref: Ref, { body, ...request }: Sent): Promise<Answer> {
  const accounts = [isEnergy(ref) ? 'e1' : 'a1']
  const path = formatPath(ref, { accounts, ...request })
  return operationFor(ref).method === 'GET'
    ? here.get(path, request.headers)
    : here.post(path, body ?? createBody(ref, { accounts, ...request }), request.headers)
}

/** Requests with a name in each place of an operation that can contain one. */
function listPlaces(ref: Ref): Record<string, (name: string) => Sent> {
  const { query, body } = operationFor(ref)
  const parameters = Object.keys(asNode(query).properties ?? {})
  const valid = createBody(ref, { accounts: ['a1'] }) as Record<string, object>
  return {
    'a customer': (name) => ({ customer: name }),
    'an account': (name) => ({ accounts: [name] }),
    'the name of a parameter': (name) => ({ query: `${name}=1` }),
    'the interaction id': (name) => ({ headers: { 'x-fapi-interaction-id': name } }),
    ...Object.fromEntries(
      parameters.map((parameter) => [parameter, (name) => ({ query: `${parameter}=${name}` })]),
    ),
    ...(body && {
      'a member of the body': (name) => ({ body: { ...valid, [name]: { [name]: 1 } } }),
      'the body': (name) => ({ body: name }),
      'an email address': (name) => ({ body: { email: name } }),
      'a nested member': (name) => ({ body: { ...valid, data: { ...valid['data'], [name]: 1 } } }),
    }),
  } satisfies Record<string, (name: string) => Sent>
}

describeOnce('a property name of Object.prototype', () => {
  for (const ref of refs) {
    it(`is an ordinary string in every part of a request of ${ref}`, async () => {
      const here = await provider()

      for (const [place, sent] of Object.entries(listPlaces(ref))) {
        const expected = await ask(here, ref, sent(unusedName))
        const answers = await Promise.all(prototypeNames.map((name) => ask(here, ref, sent(name))))

        assert.ok(expected.status < 500, `${place}: ${expected.status}`)
        for (const [index, { status, text }] of answers.entries()) {
          const name = prototypeNames[index] ?? ''
          assert.equal(status, expected.status, `${place}: ${name}`)
          assert.equal(text, expected.text.replaceAll(unusedName, name), `${place}: ${name}`)
        }
      }
    })
  }

  it('is rejected as a boolean', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const { status, body } = await ask(await provider(), 'B1', { query: `is-owned=${name}` })

      assert.deepEqual([status, body], [400, { error: 'is-owned must be true or false' }])
    }
  })
})
