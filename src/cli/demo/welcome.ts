import type { Overview } from '../../provider/store.ts'
import { type Settings, settingDefinitions } from '../../server/settings/settings.ts'
import { quoteForShell } from '../common/database.ts'
import type { Addresses } from './addresses.ts'

/** `holdfast call` and `holdfast token` need no flags for these values. */
const databaseDefault = settingDefinitions.database.defaults.demo
const subdomainDefault = settingDefinitions.subdomain.defaults.demo
const addressDefault = `http://${settingDefinitions.host.defaults.demo}:${settingDefinitions.port.defaults.demo}`

/** What the demo prints when it is ready. */
export async function formatWelcome(
  { provider, platform, intake, budget }: Addresses,
  { customers, accounts, example }: Overview,
  settings: Pick<Settings, 'database' | 'subdomain'>,
): Promise<string> {
  const { catalogueOperations, intakeOperations } = await import('../../contract/index.ts')
  const { database } = settings
  return `${[
    'Holdfast demo. Not for production: anyone who can reach it can sign tokens.',
    '',
    `provider  ${provider.url}   ${customers} customers, ${accounts} accounts`,
    `platform  ${platform.url}   products at ${catalogueOperations.listProducts.path}, console at /console`,
    `intake    ${intake.url}   feeds at ${intakeOperations.listFeeds.path}`,
    `budget    ${budget.url}   Example Budget, a third party`,
    `data      ${database}`,
    '',
    `To see the console, open ${platform.url}`,
    `To see a consent, open ${budget.url}`,
    ...(example ? formatExample(provider.url, example, settings) : []),
    '',
    'To send changes to the intake, register an API client:',
    `  npx holdfast client add core --scope data.write${formatDatabaseFlag(database)}`,
    '',
    'Press Ctrl-C to stop.',
  ].join('\n')}\n`
}

function formatExample(
  address: string,
  { customerId, accountId }: NonNullable<Overview['example']>,
  { database, subdomain }: Pick<Settings, 'database' | 'subdomain'>,
): string[] {
  const subdomainFlag =
    subdomain === subdomainDefault ? '' : ` --subdomain ${quoteForShell(subdomain)}`
  const flags = formatDatabaseFlag(database) + subdomainFlag
  const ids = `--customer ${quoteWord(customerId)} --account ${quoteWord(accountId)}`
  const target = address === addressDefault ? '' : ` --provider-url ${address}`
  const url = `${address}/v1/banking/customer/${encodeId(customerId)}/accounts/${encodeId(accountId)}/transactions`
  return [
    '',
    `customer  ${customerId}`,
    '',
    'Try it:',
    `  npx holdfast call listBankingTransactions ${ids} --page-size 2${target}${flags}`,
    '',
    'The same with curl:',
    `  curl -s -H "Authorization: Bearer $(npx holdfast token '${url}'${flags})" '${url}?page-size=2'`,
  ]
}

function formatDatabaseFlag(database: string): string {
  return database === databaseDefault ? '' : ` --database ${quoteForShell(database)}`
}

/** Quoted only where a shell needs it. */
function quoteWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : quoteForShell(text)
}

/** For a URL path in single quotes. */
function encodeId(id: string): string {
  return encodeURIComponent(id).replaceAll("'", '%27')
}
