import { Command, Option } from 'commander'
import { checkDefaults, namedCapabilities, unnamedParameters } from '../check/defaults.ts'
import type {
  Capability,
  CheckOptions,
  ParameterNames,
  Profile,
  Progress,
  Report,
  TestKeys,
} from '../check/index.ts'
import { profiles } from '../check/report.ts'
import { isTimeZone } from '../server/settings/value-rules.ts'
import { CommandError, type Terminal, usesColour } from '../server/terminal.ts'
import { formatTable } from './common/format-table.ts'
import { readJwkFile } from './common/jwk-file.ts'
import { writePrivateFile } from './common/private-file.ts'
import { collect } from './common/subcommands.ts'

type OwnOptions =
  | 'subdomain'
  | 'resourceUrl'
  | 'consentUrl'
  | 'only'
  | 'skip'
  | 'strict'
  | 'blockedAccount'
  | 'protectedAccount'
  | 'restrictedCustomer'

interface Flags extends Pick<CheckOptions, OwnOptions> {
  readonly customer?: readonly string[]
  readonly email?: readonly string[]
  readonly jwksPort?: string
  readonly jwksHost: string
  readonly key?: string
  readonly profile: Profile
  readonly capability?: readonly string[]
  readonly parameter?: readonly string[]
  readonly timeZone: string
  readonly rate: string
  readonly json?: string
  readonly junit?: string
  readonly html?: string
  readonly verbose?: true
}

const rateMax = 10_000

/** How long to wait until the provider has fetched the published keys. */
const keyWaitMs = 40_000

const details = `
Requirements: the provider has one or two customers with data, named with --customer or --email, and it trusts the keys of the
check. Either set the provider's JWKS URL to http://127.0.0.1:PORT/.well-known/jwks.json and use --jwks-port PORT, or sign
with a key that the provider already trusts (--key FILE, a private JWK with kid and alg).

The check only reads data. --rate limits its requests per second.

Capabilities (--capability), for a provider that leaves out parts of the interface on purpose:
${formatList({ ...namedCapabilities, 'no-B1, no-C4, …': 'the operation with this reference is left out' })}

Parameters that the interface does not name (--parameter), with the names that are used by default:
${formatList(unnamedParameters)}

Examples:
  holdfast check https://bank.example --subdomain bank --customer c1 --customer c2 --jwks-port 9090
  holdfast check https://bank.example --subdomain bank --email ana@example.com --key platform.jwk --html report.html
  holdfast check https://bank.example --subdomain bank --customer c1 --key platform.jwk --only tokens --only paging.links.last

Exit status: 0 no check failed, 1 a check failed or none could run, 2 invalid usage.`

function formatList(names: Readonly<Record<string, string>>): string {
  return formatTable(Object.entries(names).map(([name, about]) => [`  ${name}`, about])).join('\n')
}

export function checkCommand(terminal: Terminal): Command {
  const addList = (value: string, previous: readonly string[] = []) => [
    ...previous,
    ...value.split(',').filter(Boolean),
  ]
  return new Command('check')
    .summary('test whether a provider conforms to the interface')
    .description(
      'Sends requests to any provider as the platform would and reports for each clause of the interface whether the provider conforms to it: pass, fail with the evidence, or skip with the reason. Where the interface leaves a choice, every valid answer passes and the observed one is reported.',
    )
    .argument(
      '<url>',
      'the public base URL of the provider, exactly as the provider has it configured',
    )
    .requiredOption(
      '--subdomain <name>',
      'the data provider’s subdomain: iss and sub of every token',
    )
    .option('--customer <id>', 'ID of a customer to test with; repeatable', collect)
    .option('--email <address>', 'e-mail address of a customer to test with; repeatable', collect)
    .option(
      '--blocked-account <id>',
      'an account of one test customer that the provider refuses to share because it is blocked or suspended',
    )
    .option(
      '--protected-account <id>',
      'an account of one test customer that the provider refuses to share to prevent harm',
    )
    .option(
      '--restricted-customer <id>',
      'another customer, whose data the provider refuses to share',
    )
    .option(
      '--jwks-port <port>',
      'create keys and publish them on this port, for the provider to fetch',
    )
    .option('--jwks-host <host>', 'the host to publish the keys on', '127.0.0.1')
    .option('--key <file>', 'sign with this private JWK, which the provider already trusts')
    .option('--resource-url <url>', 'the base URL of the contact endpoint, if it differs')
    .option('--consent-url <url>', 'the base URL of the consent flow, if it differs')
    .option('--only <names>', 'run only these checks or groups; repeatable', addList)
    .option('--skip <names>', 'skip these checks or groups; repeatable', addList)
    .addOption(
      new Option('--profile <name>', 'which checks to run')
        .choices(profiles)
        .default(checkDefaults.profile),
    )
    .option(
      '--capability <names>',
      'a part that the provider leaves out on purpose; repeatable',
      addList,
    )
    .option(
      '--parameter <name=theirs>',
      'the provider’s name of a parameter that the interface does not name; repeatable',
      collect,
    )
    .option('--strict', 'where the interface leaves a choice, require the decisions of Holdfast')
    .option(
      '--time-zone <name>',
      'the time zone of billing times, which have no UTC offset',
      checkDefaults.timeZone,
    )
    .option(
      '--rate <number>',
      'maximum number of requests per second; 0 for no limit',
      String(checkDefaults.rate),
    )
    .option('--json <file>', 'write the report as JSON; - writes only the JSON to standard output')
    .option('--junit <file>', 'write the report as JUnit XML')
    .option('--html <file>', 'write the report as a self-contained HTML page')
    .option('--verbose', 'also print what was observed in checks that pass')
    .addHelpText('after', details)
    .action((url: string, flags: Flags) => runCheck(url, flags, terminal))
}

async function runCheck(url: string, flags: Flags, terminal: Terminal): Promise<void> {
  const { checkProvider, countResults, formatHtmlReport, formatJunitReport, formatTextReport } =
    await import('../check/index.ts')
  await validateFlags(url, flags)
  const parameters = parseParameters(flags.parameter ?? [])
  const testKeys = await openTestKeys(flags, terminal)
  const progress = openProgress(terminal)
  try {
    const report = await checkProvider({
      ...flags,
      url,
      testKeys,
      customers: flags.customer ?? [],
      emails: flags.email ?? [],
      capabilities: (flags.capability ?? []) as Capability[],
      parameters,
      rate: Number(flags.rate),
      keyWaitMs: testKeys.url === undefined ? 0 : keyWaitMs,
      onKeyWait: () =>
        terminal.error(
          `no token was accepted yet: waiting up to ${keyWaitMs / 1000} s for the provider to fetch the keys\n`,
        ),
      onProgress: progress.show,
    })
    progress.clear()
    const { json, junit, html } = flags
    await writeReport(json, () => `${JSON.stringify(report, null, 2)}\n`, terminal)
    await writeReport(junit, () => formatJunitReport(report), terminal)
    await writeReport(html, () => formatHtmlReport(report), terminal)
    const options = { hasColour: usesColour(terminal), isVerbose: flags.verbose ?? false }
    if (json !== '-') await terminal.write(formatTextReport(report, options))
    if (report.obstacle !== undefined) throw new CommandError(1, report.obstacle)
    if (countResults(report).fail > 0) throw new CommandError(1, summarizeFailures(report))
  } finally {
    progress.clear()
    await testKeys.close()
  }
}

function summarizeFailures({ results }: Report): string {
  const failed = results.filter(({ judgement }) => judgement === 'fail').map(({ id }) => id)
  return `the provider does not conform to the interface: ${failed.join(', ')}`
}

/** Reports all invalid flags together. */
async function validateFlags(url: string, flags: Flags): Promise<void> {
  const { findChoiceErrors } = await import('../check/check.ts')
  const { jwksPort, key, rate, customer = [], email = [], only = [], skip = [] } = flags
  const errors = findChoiceErrors({ only, skip, capabilities: flags.capability ?? [] })
  for (const [name, value] of Object.entries({
    '<url>': url,
    '--resource-url': flags.resourceUrl,
    '--consent-url': flags.consentUrl,
  })) {
    if (value !== undefined && !/^https?:\/\/[^\s?#]+$/.test(value))
      errors.push(`${name} must be an http or https URL without a query`)
  }
  if (customer.length + email.length === 0)
    errors.push('--customer or --email is required: a customer to test with')
  if ((jwksPort === undefined) === (key === undefined))
    errors.push('either --jwks-port or --key is required: the provider must trust the signing key')
  if (jwksPort !== undefined && !(/^\d{1,5}$/.test(jwksPort) && Number(jwksPort) <= 65_535))
    errors.push('--jwks-port must be a whole number from 0 to 65535')
  if (!/^\d{1,5}(\.\d+)?$/.test(rate) || Number(rate) > rateMax)
    errors.push(`--rate must be a number from 0 to ${rateMax}`)
  if (!isTimeZone(flags.timeZone))
    errors.push('--time-zone must be a time zone such as UTC or Australia/Sydney')
  if (errors.length > 0) throw new CommandError(2, errors.join('\n'))
}

function parseParameters(texts: readonly string[]): ParameterNames {
  const names: Record<string, string> = {}
  for (const text of texts) {
    const [parameter = '', theirs = ''] = text.split('=')
    if (!Object.hasOwn(unnamedParameters, parameter) || theirs === '') {
      const known = Object.keys(unnamedParameters).join(', ')
      throw new CommandError(2, `--parameter must be NAME=THEIRS, where NAME is one of ${known}`)
    }
    names[parameter] = theirs
  }
  return names
}

async function openTestKeys(
  { key, jwksPort, jwksHost }: Flags,
  terminal: Terminal,
): Promise<TestKeys> {
  const { publishKeys, useTrustedKey } = await import('../check/index.ts')
  if (key !== undefined) {
    return useTrustedKey(await readJwkFile(key)).catch((error: Error) => {
      throw new CommandError(2, `${key}: ${error.message}`)
    })
  }
  const address = { port: Number(jwksPort), host: jwksHost }
  const testKeys = await publishKeys(address).catch((error: Error) => {
    throw new CommandError(1, `cannot publish the keys: ${error.message}`)
  })
  terminal.error(`keys at ${testKeys.url}\n`)
  return testKeys
}

async function writeReport(
  file: string | undefined,
  format: () => string,
  terminal: Terminal,
): Promise<void> {
  if (file === undefined) return
  if (file === '-') return terminal.write(format())
  try {
    writePrivateFile(file, format())
  } catch (error) {
    throw new CommandError(1, `${file} cannot be written: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** A status line, shown only in a terminal. */
function openProgress(terminal: Terminal) {
  let isShown = false
  return {
    show({ done, total, result }: Progress) {
      if (!terminal.isInteractive) return
      isShown = true
      terminal.status(`${done} of ${total}  ${result.judgement}  ${result.id}`)
    },
    clear() {
      if (isShown) terminal.status('')
      isShown = false
    },
  }
}
