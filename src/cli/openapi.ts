import { Command } from 'commander'
import type { Terminal } from '../server/terminal.ts'

export function openapiCommand(version: string, terminal: Terminal): Command {
  return new Command('openapi')
    .summary('print the OpenAPI 3.1 document')
    .description(
      'Prints the whole interface as an OpenAPI 3.1 document in JSON, for a documentation viewer, a client generator or an API gateway.',
    )
    .addHelpText('after', '\nExample: holdfast openapi > openapi.json')
    .action(async () => {
      const { buildOpenApiDocument } = await import('../contract/index.ts')
      terminal.out(`${JSON.stringify(buildOpenApiDocument(version), null, 2)}\n`)
    })
}
