import type { ExplorerResult } from '../../../contract/index.ts'
import type { CallInput } from './call-input.ts'

/** The program imports it, the console does not. */
const clientPackage = 'holdfast/client'

/** The default of `holdfast token`. */
const subdomainDefault = 'demo'

/** A command that sends the same request with a token of its own. */
export function formatCurl({ request, provider }: ExplorerResult): string {
  const { method, url, body } = request
  const [resource = url] = url.split('?', 1)
  const subdomain =
    provider.subdomain === subdomainDefault
      ? ''
      : ` --subdomain ${quoteForShell(provider.subdomain)}`
  const parts = [
    'curl -s',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    `-H "Authorization: Bearer $(npx holdfast token ${quoteForShell(resource)}${subdomain})"`,
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `--data-raw ${quoteForShell(body)}`]),
    quoteForShell(url),
  ]
  return parts.join(' ')
}

/** A program that makes the same call with the client of Holdfast. */
export function formatTypeScript(
  { operation, params = {}, query = {}, body }: CallInput,
  { provider }: Pick<ExplorerResult, 'provider'>,
): string {
  const { providerUrl, resourceUrl, subdomain } = provider
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const input = [
    `  params: ${formatValue(params)},`,
    ...(given.length > 0 ? [`  query: ${formatValue(Object.fromEntries(given))},`] : []),
    ...(body === undefined ? [] : [`  body: ${formatValue(body)},`]),
  ]
  return `import { readFileSync } from 'node:fs'
import { createClient } from '${clientPackage}'

// The key: npx holdfast keys export ID --output platform.jwk
const client = createClient({
  providerUrl: ${formatValue(providerUrl)},${
    resourceUrl === providerUrl ? '' : `\n  resourceUrl: ${formatValue(resourceUrl)},`
  }
  subdomain: ${formatValue(subdomain)},
  key: JSON.parse(readFileSync('platform.jwk', 'utf8')),
})

const result = await client.${operation}({
${input.join('\n')}
})
console.log(JSON.stringify(result, null, 2))
`
}

/** For a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** JSON is also TypeScript. */
function formatValue(value: unknown): string {
  return JSON.stringify(value)
}
