import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { checkDefaults, namedCapabilities, unnamedParameters } from '../check/defaults.ts'
import type {
  Capability,
  ParameterNames,
  Profile,
  Progress,
  Report,
  TestKeys,
} from '../check/index.ts'
import { profiles } from '../check/report.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { writePrivateFile } from './private-file.ts'

interface Flags {
  readonly subdomain: string
  readonly customer?: readonly string[]
  readonly email?: readonly string[]
  readonly jwksPort?: string
  readonly jwksHost: string
  readonly key?: string
  readonly resourceUrl?: string
  readonly consentUrl?: string
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
  readonly profile: Profile
  readonly capability?: readonly string[]
  readonly parameter?: readonly string[]
  readonly strict?: true
  readonly timeZone: string
  readonly rate: string
  readonly json?: string
  readonly junit?: string
  readonly html?: string
  readonly verbose?: true
}

const rateMax = 10_000

/** How long a provider may take to fetch keys that were published after it started. */
const keyWaitMs = 40_000

const teaching = `
What it needs of the provider: a customer or two with data, named by --customer or --email, and trust in its
keys. Either point the provider's JWKS URL at http://127.0.0.1:PORT/.well-known/jwks.json and give --jwks-port PORT,
or sign with a key that the provider trusts already, as a private JWK with kid and alg (--key FILE).

It sends requests and never changes anything. --rate bounds how many a second.

Capabilities are what the provider leaves out on purpose:
${listed({ ...namedCapabilities, 'no-B1, no-C4, …': 'one operation is left out, by its reference' })}

Parameters that the interface does not name have these names, unless --parameter tells another:
${listed(unnamedParameters)}

Examples:
  holdfast check https://bank.example --subdomain bank --customer c1 --customer c2 --jwks-port 9090
  holdfast check https://bank.example --subdomain bank --email ana@example.com --key platform.jwk --html report.html
  holdfast check https://bank.example --subdomain bank --customer c1 --key platform.jwk --only tokens --only paging.links.last

Exit status: 0 nothing failed, 1 something did, 2 wrong usage.`

function listed(names: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(names).map((name) => name.length))
  return Object.entries(names)
    .map(([name, about]) => `  ${name.padEnd(width)}  ${about}`)
    .join('\n')
}

export function checkCommand(terminal: Terminal): Command {
  const several = (value: string, before: readonly string[] = []) => [
    ...before,
    ...value.split(',').filter(Boolean),
  ]
  const each = (value: string, before: readonly string[] = []) => [...before, value]
  return new Command('check')
    .summary('test whether a provider keeps the interface')
    .description(
      'Plays the platform against any provider over HTTP and says, clause by clause, whether it keeps the interface: pass, fail with the evidence, or skip with what was missing. Where the interface leaves a choice, every lawful answer passes and the one seen is reported.',
    )
    .argument('<url>', 'the provider’s public base address, exactly as the provider has it')
    .requiredOption(
      '--subdomain <name>',
      'the data provider’s subdomain: iss and sub of every token',
    )
    .option('--customer <id>', 'a customer to look at; may be given again', each)
    .option('--email <address>', 'an address to find a customer by; may be given again', each)
    .option(
      '--jwks-port <port>',
      'make keys and publish them on this port, for the provider to fetch',
    )
    .option('--jwks-host <host>', 'the address to publish them on', '127.0.0.1')
    .option('--key <file>', 'sign with this private JWK, which the provider trusts already')
    .option('--resource-url <url>', 'the base address of the contact endpoint, where it is another')
    .option('--consent-url <url>', 'the base address of the consent flow, where it is another')
    .option('--only <names>', 'only these checks or groups; may be given again', several)
    .option('--skip <names>', 'not these checks or groups; may be given again', several)
    .addOption(
      new Option('--profile <name>', 'how much to check')
        .choices(profiles)
        .default(checkDefaults.profile),
    )
    .option(
      '--capability <names>',
      'what the provider leaves out on purpose; may be given again',
      several,
    )
    .option(
      '--parameter <name=theirs>',
      'what the provider calls a parameter that the interface does not name',
      each,
    )
    .option('--strict', 'also hold it to what Holdfast decided where the interface leaves a choice')
    .option(
      '--time-zone <name>',
      'the zone of billing times, which carry none',
      checkDefaults.timeZone,
    )
    .option(
      '--rate <number>',
      'requests a second; 0 for as many as it takes',
      String(checkDefaults.rate),
    )
    .option(
      '--json <file>',
      'write the report as JSON; - for standard output, and nothing else there',
    )
    .option('--junit <file>', 'write it as JUnit XML')
    .option('--html <file>', 'write it as one page that needs nothing else')
    .option('--verbose', 'also show what was seen where checks pass')
    .addHelpText('after', teaching)
    .action((url: string, flags: Flags) => runCheck(url, flags, terminal))
}

async function runCheck(url: string, flags: Flags, terminal: Terminal): Promise<void> {
  const { checkProvider, countsOf, htmlReport, junitReport, textReport } = await import(
    '../check/index.ts'
  )
  await refuseWrong(url, flags)
  const parameters = parametersOf(flags.parameter ?? [])
  const testKeys = await keyringOf(flags, terminal)
  const progress = progressOn(terminal)
  try {
    const report = await checkProvider({
      url,
      ...(flags.resourceUrl !== undefined && { resourceUrl: flags.resourceUrl }),
      ...(flags.consentUrl !== undefined && { consentUrl: flags.consentUrl }),
      subdomain: flags.subdomain,
      testKeys,
      customers: flags.customer ?? [],
      emails: flags.email ?? [],
      capabilities: (flags.capability ?? []) as Capability[],
      parameters,
      timeZone: flags.timeZone,
      profile: flags.profile,
      only: flags.only ?? [],
      skip: flags.skip ?? [],
      strict: flags.strict ?? false,
      rate: Number(flags.rate),
      keyWaitMs: testKeys.url === undefined ? 0 : keyWaitMs,
      onProgress: progress.show,
    })
    progress.clear()
    if (flags.json !== undefined)
      await writeReport(flags.json, `${JSON.stringify(report, null, 2)}\n`, terminal)
    if (flags.junit !== undefined) await writeReport(flags.junit, junitReport(report), terminal)
    if (flags.html !== undefined) await writeReport(flags.html, htmlReport(report), terminal)
    const options = {
      hasColour: terminal.isInteractive && !terminal.environment['NO_COLOR'],
      isVerbose: flags.verbose ?? false,
    }
    if (flags.json !== '-') await terminal.write(textReport(report, options))
    if (countsOf(report).fail > 0) throw new CommandError(1, failureLine(report))
  } finally {
    progress.clear()
    await testKeys.close()
  }
}

function failureLine({ results }: Report): string {
  const failed = results.filter(({ judgement }) => judgement === 'fail').map(({ id }) => id)
  return `The provider does not keep the interface: ${failed.join(', ')}`
}

/** Everything that is wrong with the flags is said at once. */
async function refuseWrong(url: string, flags: Flags): Promise<void> {
  const { choiceProblems } = await import('../check/check.ts')
  const { jwksPort, key, rate, customer = [], email = [], only = [], skip = [] } = flags
  const wrong = choiceProblems({ only, skip, capabilities: flags.capability ?? [] })
  for (const [name, address] of Object.entries({
    '<url>': url,
    '--resource-url': flags.resourceUrl,
    '--consent-url': flags.consentUrl,
  })) {
    if (address !== undefined && !/^https?:\/\/[^\s?#]+$/.test(address))
      wrong.push(`${name} must be an http or https address without a query`)
  }
  if (customer.length + email.length === 0)
    wrong.push('name whom to look at with --customer or --email')
  if ((jwksPort === undefined) === (key === undefined))
    wrong.push(
      'give either --jwks-port or --key: it must sign with something that the provider trusts',
    )
  if (jwksPort !== undefined && !(/^\d{1,5}$/.test(jwksPort) && Number(jwksPort) <= 65_535))
    wrong.push('--jwks-port must be a whole number from 0 to 65535')
  if (!/^\d{1,5}(\.\d+)?$/.test(rate) || Number(rate) > rateMax)
    wrong.push(`--rate must be a number from 0 to ${rateMax}`)
  if (!isTimeZone(flags.timeZone))
    wrong.push('--time-zone must be a time zone such as UTC or Australia/Sydney')
  if (wrong.length > 0) throw new CommandError(2, wrong.join('\n'))
}

function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}

function parametersOf(given: readonly string[]): ParameterNames {
  const names: Record<string, string> = {}
  for (const text of given) {
    const [parameter = '', theirs = ''] = text.split('=')
    if (!Object.hasOwn(unnamedParameters, parameter) || theirs === '') {
      const known = Object.keys(unnamedParameters).join(', ')
      throw new CommandError(2, `--parameter must be NAME=THEIRS, where NAME is one of ${known}`)
    }
    names[parameter] = theirs
  }
  return names
}

async function keyringOf(
  { key, jwksPort, jwksHost }: Flags,
  terminal: Terminal,
): Promise<TestKeys> {
  const { publishKeys, trustedKey } = await import('../check/index.ts')
  if (key !== undefined) {
    return trustedKey(parsed(key)).catch((error: unknown) => {
      throw new CommandError(2, `${key}: ${error instanceof Error ? error.message : error}`)
    })
  }
  const testKeys = await publishKeys({ port: Number(jwksPort), host: jwksHost }).catch(
    (error: unknown) => {
      throw new CommandError(
        1,
        `the keys cannot be published: ${error instanceof Error ? error.message : error}`,
      )
    },
  )
  terminal.error(`keys at ${testKeys.url}\n`)
  return testKeys
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new CommandError(2, `${file} is not a file with a JWK in it`)
  }
}

async function writeReport(file: string, text: string, terminal: Terminal): Promise<void> {
  if (file === '-') return terminal.write(text)
  try {
    writePrivateFile(file, text)
  } catch (error) {
    throw new CommandError(1, `${file} cannot be written: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** One line that is written over. Nothing in a pipe. */
function progressOn(terminal: Terminal) {
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
