import assert from 'node:assert/strict'
import { it } from 'node:test'
import { errorTable } from './errors.ts'
import { isExtensionServed } from './extension-served.ts'

for (const [name, status, error, expected] of [
  ['an account', 200, undefined, true],
  ['the error of an unknown account', 404, errorTable.account_not_found.message, true],
  ['the refusal to share the account', 403, errorTable.account_not_found.message, true],
  ['another error', 503, undefined, true],
  ['an unknown path', 404, 'Not found', false],
  ['the rejection of a gateway', 403, undefined, false],
] as const) {
  it(`takes ${name} for the answer of a provider ${expected ? 'with' : 'without'} the extension`, () => {
    assert.equal(isExtensionServed(status, error), expected)
  })
}
