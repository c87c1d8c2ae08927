import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { it } from 'node:test'
import { openMetrics } from './metrics.ts'

it('has the block and the first 48 bits of the hash of the last signed head of the records', async () => {
  const metrics = openMetrics()
  const names = ['holdfast_disclosure_record_head', 'holdfast_disclosure_record_digest']
  const hash = createHash('sha256').update('head').digest()
  metrics.setRecordHead('first', 6, createHash('sha256').digest('base64url'))

  metrics.setRecordHead('first', 7, hash.toString('base64url'))

  const samples = (await metrics.snapshot(names)).map((metric) => metric.samples)
  assert.deepEqual(samples, [
    { 'holdfast_disclosure_record_head{chain="first"}': 7 },
    { 'holdfast_disclosure_record_digest{chain="first"}': hash.readUIntBE(0, 6) },
  ])
})
