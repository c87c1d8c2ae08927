import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { put } from '../load/lines.ts'
import { createScope, describeOn } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runInProcess, startServer } from '../support/process.ts'
import { runPromtool } from '../support/promtool.ts'

describeOn('sqlite', 'the metrics of all roles and of a load', () => {
  it('follow the conventions that promtool checks', async (t) => {
    const scope = createScope(t)
    const folder = await temporaryFolder(scope)
    const [lines, file] = [join(folder, 'lines.ndjson'), join(folder, 'load.prom')]
    writeFileSync(lines, `${put.customer('c1')}\n`)
    const database = `sqlite:${join(folder, 'bank.db')}`
    const load = ['load', lines, '--metrics-file', file, '--database', database]
    assert.equal((await runInProcess(load)).status, 0)

    const demo = await startServer(scope, ['demo'], { database, 'metrics-port': '0' })
    for (const path of ['/health/ready', '/v1/banking/customer/c1/accounts', '/none']) {
      await fetch(demo.address + path)
    }
    const metrics = await (await fetch(demo.metrics)).text()

    assert.match(metrics, /^holdfast_event_loop_lag_seconds\{percentile="99"\} /m)
    assert.equal(await runPromtool(['check', 'metrics'], metrics), '')
    assert.equal(await runPromtool(['check', 'metrics'], readFileSync(file, 'utf8')), '')
  })
})
