import assert from 'node:assert/strict'
import { it } from 'node:test'
import { formatCsvRow } from './csv.ts'

it('lets a spreadsheet run no text of a row', () => {
  for (const first of '=+-@＝＋－＠\t\r\n') {
    assert.match(formatCsvRow(['a', `${first}1+1`]), /^a,"?'/u, JSON.stringify(first))
  }
  assert.equal(formatCsvRow(['a', -1, 'b-', ' =', '"']), 'a,-1,b-, =,""""\r\n')
})
