import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { runHoldfast, runInProcess, startHoldfast } from './support/process.ts'

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }

describe('holdfast', () => {
  it('lists its commands', async () => {
    const { status, stdout, stderr } = await runInProcess(['--help'])

    assert.match(stdout, /^Usage: holdfast /)
    assert.match(stdout, /^ {2}openapi .*^ {2}settings /ms)
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  })

  it('prints the help of a command', async () => {
    const { status, stdout, stderr } = await runInProcess(['settings', '--help'])

    assert.match(stdout, /^Usage: holdfast settings /)
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  })

  it('prints its version', async () => {
    const run = await runInProcess(['--version'])

    assert.deepEqual(run, { status: 0, stdout: `${version}\n`, stderr: '' })
  })

  for (const [name, args] of Object.entries({
    'no command': [],
    'an unknown command': ['frobnicate'],
    'an unknown flag': ['--frobnicate'],
    'an unknown flag of a command': ['openapi', '--frobnicate'],
    'a flag without its value': ['settings', '--port'],
    'an excess argument': ['openapi', 'provider', 'frobnicate'],
    'an unknown document': ['openapi', 'frobnicate'],
    'an unknown role': ['settings', 'frobnicate'],
  })) {
    it(`rejects ${name} and refers to --help`, async () => {
      const { status, stdout, stderr } = await runInProcess(args)

      assert.match(stderr, /--help/)
      assert.doesNotMatch(stderr, /^\s+at /m)
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' })
    })
  }

  it('exits with the status of the command', async () => {
    const runs = await Promise.all([runHoldfast(['--version']), runHoldfast(['frobnicate'])])

    assert.deepEqual(
      runs.map(({ status }) => status),
      [0, 2],
    )
    assert.equal(runs[0]?.stdout, `${version}\n`)
    assert.match(runs[1]?.stderr ?? '', /--help/)
  })

  for (const older of ['24.9.0', '26.7.0']) {
    it(`reports the required Node version when started with ${older}`, async () => {
      const pretend = `for (const [name, value] of Object.entries({
        version: 'v${older}',
        versions: { ...process.versions, node: '${older}' },
      })) Object.defineProperty(process, name, { value })`
      const preload = `data:text/javascript,${encodeURIComponent(pretend)}`

      const { status, stdout, stderr } = await runHoldfast(['--help'], {
        nodeFlags: ['--import', preload],
      })

      assert.ok(stderr.includes(`requires Node 26.8 or newer; this is v${older}`), stderr)
      // The program under test may be the installed one, or the sources.
      assert.match(stderr, /`npm (install node@26|ci)`/)
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' })
    })
  }
})

describe('holdfast openapi', () => {
  for (const [args, path] of [
    [['openapi', 'provider'], '/auth/v1/customer/search'],
    [['openapi', 'platform'], '/v1/token'],
    [['openapi', 'intake'], '/v1/feeds/{feed}'],
    [['openapi'], '/auth/v1/customer/search'],
  ] as const) {
    it(`prints an OpenAPI 3.1 document: ${args.join(' ')}`, async () => {
      const { status, stdout, stderr } = await runInProcess(args)
      const document = JSON.parse(stdout)

      assert.match(document.openapi, /^3\.1\.\d+$/)
      assert.equal(document.info.version, version)
      assert.ok(Object.hasOwn(document.paths, path))
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    })
  }

  it('exits with 0 if the reader closes the pipe early', async (t) => {
    const child = startHoldfast(t, ['openapi'])
    const stderr = text(child.stderr)

    await once(child.stdout, 'data')
    child.stdout.destroy()
    const [status] = await once(child, 'exit')

    assert.equal(await stderr, '')
    assert.equal(status, 0)
  })
})

describe('holdfast settings', () => {
  /** The settings that a provider requires. */
  const required = {
    HOLDFAST_PROVIDER_URL: 'https://bank.example',
    HOLDFAST_SUBDOMAIN: 'bank',
    HOLDFAST_JWKS_URL: 'https://platform.example/.well-known/jwks.json',
  }

  /** The line of one setting, as its value and source. */
  function line(stdout: string, variable: string): string | undefined {
    const found = stdout.split('\n').find((candidate) => candidate.startsWith(variable))
    return found?.split(/\s+/).slice(1).join(' ')
  }

  it('shows a default, a variable and a flag with their sources', async () => {
    const environment = { ...required, HOLDFAST_WORKERS: '3' }

    const { status, stdout, stderr } = await runInProcess(
      ['settings', '--log-level', 'debug'],
      environment,
    )

    assert.equal(line(stdout, 'HOLDFAST_PORT'), '8080 default')
    assert.equal(line(stdout, 'HOLDFAST_WORKERS'), '3 environment')
    assert.equal(line(stdout, 'HOLDFAST_LOG_LEVEL'), 'debug flag')
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  })

  it('prefers a flag to a variable', async () => {
    const environment = { ...required, HOLDFAST_PORT: '9001' }

    const { stdout } = await runInProcess(['settings', '--port', '9002'], environment)

    assert.equal(line(stdout, 'HOLDFAST_PORT'), '9002 flag')
  })

  it('accepts a valid flag when the variable is invalid', async () => {
    const environment = { ...required, HOLDFAST_PORT: 'http' }

    const { status, stdout } = await runInProcess(['settings', '--port', '9002'], environment)

    assert.equal(line(stdout, 'HOLDFAST_PORT'), '9002 flag')
    assert.equal(status, 0)
  })

  it('treats an empty variable as unset', async () => {
    const { stdout } = await runInProcess(['settings'], { ...required, HOLDFAST_PORT: '' })

    assert.equal(line(stdout, 'HOLDFAST_PORT'), '8080 default')
  })

  it('shows the defaults of the role', async () => {
    const platform = await runInProcess(['settings', 'platform'])
    const demo = await runInProcess(['settings', 'demo'])

    assert.equal(line(platform.stdout, 'HOLDFAST_PORT'), '8081 default')
    assert.equal(line(demo.stdout, 'HOLDFAST_SUBDOMAIN'), 'demo default')
  })

  it('lists the settings that the role uses, which are flags of its command', async () => {
    const { stdout: printed } = await runInProcess(['settings', 'intake', '--json'], {
      HOLDFAST_WORKERS: '4',
    })
    const { stdout: help } = await runInProcess(['serve', 'intake', '--help'])

    const listed = Object.keys(JSON.parse(printed))
    const flags = [...help.matchAll(/^ {2}--([a-z-]+) </gm)].map(([, flag = '']) => flag)
    assert.deepEqual(
      listed,
      flags.map((flag) => `HOLDFAST_${flag.replaceAll('-', '_').toUpperCase()}`),
    )
    assert.ok(listed.includes('HOLDFAST_PORT') && !listed.includes('HOLDFAST_WORKERS'))
  })

  it('derives the URL of the contact endpoint from the provider URL', async () => {
    const { stdout } = await runInProcess(['settings'], required)

    assert.equal(line(stdout, 'HOLDFAST_RESOURCE_URL'), 'https://bank.example default')
  })

  it('reports all invalid settings together', async () => {
    const environment = { HOLDFAST_PORT: '70000', HOLDFAST_TIME_ZONE: 'Mars/Olympus' }
    const args = ['settings', '--workers', '0', '--account-version', '5']

    const { status, stdout, stderr } = await runInProcess(args, environment)

    for (const name of ['HOLDFAST_PORT', 'HOLDFAST_TIME_ZONE', '--workers', '--account-version']) {
      assert.match(stderr, new RegExp(`^ *${name} must be `, 'm'))
    }
    assert.deepEqual({ status, stdout }, { status: 2, stdout: '' })
  })

  it('warns of a variable that is not a setting', async () => {
    const { status, stdout, stderr } = await runInProcess(['settings'], {
      ...required,
      HOLDFAST_PROT: '1',
    })

    assert.match(stderr, /^warning: HOLDFAST_PROT is not a setting$/m)
    assert.doesNotMatch(stdout, /PROT/)
    assert.equal(status, 0)
  })

  it('warns of it beside the invalid settings of a server', async () => {
    const variables = { HOLDFAST_PROT: '1', HOLDFAST_PORT: 'none' }
    const { status, stderr } = await runInProcess(['serve', 'platform'], variables)

    assert.match(stderr, /^warning: HOLDFAST_PROT is not a setting\ninvalid settings:/)
    assert.equal(status, 2)
  })

  it('prints the table, reports every missing required setting and exits with 1', async () => {
    const { status, stdout, stderr } = await runInProcess(['settings', 'provider'])

    const names = stderr.split('\n').map((sentence) => sentence.split(' ', 1)[0])
    assert.deepEqual(names, [...Object.keys(required), ''])
    assert.equal(line(stdout, 'HOLDFAST_SUBDOMAIN'), '- not set')
    assert.equal(status, 1)
  })

  it('exits with 1 if a single required setting is missing', async () => {
    const { status, stderr } = await runInProcess(['settings', '--json'], {
      ...required,
      HOLDFAST_SUBDOMAIN: '',
    })

    assert.match(stderr, /^HOLDFAST_SUBDOMAIN [^\n]*\n$/)
    assert.equal(status, 1)
  })

  it('reports missing and invalid settings together', async () => {
    const { status, stderr } = await runInProcess(['settings', '--port', 'http'])

    assert.match(stderr, /^ *--port must be /m)
    for (const variable of Object.keys(required)) {
      assert.match(stderr, new RegExp(`^ *${variable} .*is required`, 'm'))
    }
    assert.equal(status, 2)
  })

  for (const role of ['platform', 'demo']) {
    it(`requires nothing of a ${role}`, async () => {
      const { status, stderr } = await runInProcess(['settings', role])

      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    })
  }

  it('prints JSON on request', async () => {
    const { status, stdout, stderr } = await runInProcess(
      ['settings', '--json', '--port', '0'],
      required,
    )
    const settings = JSON.parse(stdout)

    assert.equal(settings.HOLDFAST_SUBDOMAIN.value, 'bank')
    assert.equal(settings.HOLDFAST_SUBDOMAIN.source, 'environment')
    assert.equal(settings.HOLDFAST_PORT.source, 'flag')
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  })

  it('prints only JSON to standard output if a setting is missing', async () => {
    const { stdout } = await runInProcess(['settings', '--json'], { HOLDFAST_PROT: '1' })
    const settings = JSON.parse(stdout)

    assert.deepEqual(settings.HOLDFAST_SUBDOMAIN, { value: null, source: 'not set' })
  })

  for (const [name, database] of Object.entries({
    'a valid URL': 'postgres://holdfast:hunter2@db.example/holdfast',
    'a valid URL with the password in the query': 'postgres://db.example/holdfast?password=hunter2',
    'a URL without slashes': 'postgres:holdfast:hunter2@db.example/holdfast',
    'a URL with an @ in the password': 'postgres://holdfast:@hunter2@db.example/holdfast',
    'a URL with another scheme': 'mysql://holdfast:hunter2@db.example/holdfast',
    'a malformed URL': 'postgres://holdfast:hunter2@db.example:port/holdfast',
  })) {
    it(`does not show the password of ${name}`, async () => {
      const runs = await Promise.all([
        runInProcess(['settings'], { HOLDFAST_DATABASE: database }),
        runInProcess(['settings', '--database', database]),
        runInProcess(['settings', '--database', database, '--json']),
      ])

      for (const { stdout, stderr } of runs) {
        assert.match(stdout + stderr, /HOLDFAST_DATABASE|--database/)
        assert.doesNotMatch(stdout + stderr, /hunter2/)
      }
    })
  }
})
