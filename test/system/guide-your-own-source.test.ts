import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findFreePort, run } from '../support/process.ts'

const guide = readFileSync(new URL('../../docs/guides/your-own-source.md', import.meta.url), 'utf8')
const [program = '', check = ''] = [...guide.matchAll(/```js\n(.*?)```/gs)].map(
  ([, block = '']) => block,
)
const [, capabilities = ''] = /`(\['no-.*?\])`/.exec(guide) ?? []
const moduleUrl = (name: string) => new URL(`../../src/${name}/index.ts`, import.meta.url).href

describeOnce('the guide A provider over your own data', () => {
  it('has a program that passes every check, in five lines of a test', async (t) => {
    const folder = await temporaryFolder(t)
    const port = String(await findFreePort())
    const test = [
      `import assert from 'node:assert/strict'`,
      `import { checkProvider, publishKeys } from '${moduleUrl('check')}'`,
      `import { open } from './bank.mjs'`,
      `const capabilities = ${capabilities}`,
      check.replaceAll('8080', port),
      'console.log(report.results.filter(({ judgement }) => judgement === "pass").length)',
    ]
    writeFileSync(join(folder, 'bank.mjs'), program.replace('holdfast/server', moduleUrl('server')))
    writeFileSync(join(folder, 'test.mjs'), test.join('\n'))

    const { status, stdout, stderr } = await run([process.execPath, 'test.mjs'], { cwd: folder })

    assert.equal(status, 0, stdout + stderr)
    assert.equal(check.trim().split('\n').length, 5)
    assert.ok(Number(stdout) > 80, stdout)
  })
})
