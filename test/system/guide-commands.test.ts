import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createScope, describeOn, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runHoldfast, startServer } from '../support/process.ts'
import { runLine } from '../support/run-lines.ts'
import { findHoldfastArguments, findShownCommands } from '../support/shown-commands.ts'

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8')

/** An empty folder with the example of the guide Load data. */
async function openFolder(scope: Scope): Promise<string> {
  const folder = await temporaryFolder(scope)
  const [example = ''] = /(?<=```ndjson\n).*?(?=```)/s.exec(read('guides/load-data.md')) ?? []
  writeFileSync(join(folder, 'bank.ndjson'), example)
  return folder
}

describeOn(
  'sqlite',
  'the commands of a guide, in the order of the text',
  { concurrency: 2 },
  () => {
    it('Observe: the demo has metrics and rejected requests, and a load writes its metrics', async (t) => {
      const scope = createScope(t)
      const folder = await openFolder(scope)
      const lines = findShownCommands(read('guides/observe.md'))
      const [demo = '', ...others] = lines.filter((line) => /^(npx|curl)/.test(line))
      assert.equal(demo, 'npx holdfast demo --metrics-port 9464')
      const options = { cwd: folder, ready: /metrics on .*\n/ }
      const served = await startServer(scope, ['demo'], { 'metrics-port': '0' }, options)
      const rejected = await fetch(`${served.address}/v1/banking/customer/c-000001/accounts`)
      assert.equal(rejected.status, 401)
      const interactionId = rejected.headers.get('x-fapi-interaction-id') ?? ''
      const metrics = new URL(served.metrics).host

      const settings = { HOLDFAST_DATABASE: 'sqlite:own.db' }
      const printed: Record<string, string> = {}
      for (const line of others) {
        if (line.includes('serve platform')) continue
        const adapted = line
          .replace('127.0.0.1:8080', new URL(served.address).host)
          .replace('127.0.0.1:9464', metrics)
          .replace(/[\da-f]{8}-[\da-f-]{27}/, interactionId)
          .replace('/var/lib/node_exporter/', '')
        printed[line.replace(/^.*9464/, '')] = await runLine(adapted, { cwd: folder, settings })
      }

      assert.match(
        printed['/metrics'] ?? '',
        /^holdfast_token_rejections_total\{reason="no token"\} 1$/m,
      )
      const one = Object.entries(printed).find(([line]) => /^\/rejections\/[\da-f]/.test(line))
      assert.ok(one?.[1].includes('"no token"'), JSON.stringify(printed))
      assert.match(readFileSync(join(folder, 'holdfast.prom'), 'utf8'), /^holdfast_load_/m)
      assert.equal(Object.keys(printed).length, 7)
    })

    it('Go live: with the settings of the table, a provider starts, and keys are rotated', async (t) => {
      const scope = createScope(t)
      const folder = await openFolder(scope)
      const guide = read('guides/go-live.md')
      const database = `sqlite:${join(folder, 'bank.db')}`
      await runLine(`npx holdfast load bank.ndjson --database ${database}`, { cwd: folder })
      const platform = await startServer(scope, ['serve', 'platform'], { database })
      const values: Readonly<Record<string, string>> = {
        HOLDFAST_PROVIDER_URL: 'https://bank.example',
        HOLDFAST_RESOURCE_URL: 'https://bank.example',
        HOLDFAST_SUBDOMAIN: 'bank',
        HOLDFAST_JWKS_URL: `${platform.address}/.well-known/jwks.json`,
        HOLDFAST_TIME_ZONE: 'Australia/Sydney',
        HOLDFAST_DATABASE: database,
      }
      const listed = [...guide.matchAll(/^\| `(HOLDFAST_\w+)` \|/gm)].map(([, name = '']) => name)
      assert.deepEqual(new Set(listed), new Set(Object.keys(values)))
      const commands = findShownCommands(guide)
        .flatMap(findHoldfastArguments)
        .filter(([command]) => /^(settings|serve|keys)$/.test(command ?? ''))
      const [settings = [], serve = [], add = [], list = [], retire = []] = commands
      assert.equal(commands.length, 5)
      const holdfast = async (args: readonly string[]) => {
        const { status, stdout, stderr } = await runHoldfast(args, {
          cwd: folder,
          environment: values,
        })
        assert.equal(status, 0, `${args.join(' ')}\n${stdout}${stderr}`)
        return stdout
      }

      assert.match(await holdfast(settings), /^HOLDFAST_TIME_ZONE *=? *Australia\/Sydney/m)
      const keyId = (await holdfast(add)).trim()
      const provider = await startServer(scope, serve, {}, { environment: values })
      assert.equal((await fetch(`${provider.address}/health/ready`)).status, 200)
      const newest = (await holdfast(add)).trim()
      assert.notEqual(newest, keyId)
      await holdfast(retire.map((word) => word.replace('KEY_ID', keyId)))
      assert.match(await holdfast(list), new RegExp(`^${keyId} .*retired`, 'm'))
    })
  },
)
