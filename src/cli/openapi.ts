import { Argument, Command } from 'commander'
import { type DocumentName, documentNames } from '../contract/openapi/document-names.ts'
import type { Terminal } from '../server/terminal.ts'
import { version } from '../server/version.ts'

export function openapiCommand(terminal: Terminal): Command {
  return new Command('openapi')
    .summary('print the OpenAPI 3.1 document of a server')
    .description(
      'Prints the API of a provider, a platform or an intake as an OpenAPI 3.1 document in JSON, for a documentation viewer, a client generator or an API gateway. The server returns the same document at /openapi.json.',
    )
    .addArgument(
      new Argument('[server]', 'the server whose document is printed')
        .choices(documentNames)
        .default('provider'),
    )
    .addHelpText('after', '\nExample: holdfast openapi platform > platform.json')
    .action(async (name: DocumentName) => {
      const { buildOpenApiDocument } = await import('../contract/index.ts')
      terminal.out(`${JSON.stringify(buildOpenApiDocument(name, version), null, 2)}\n`)
    })
}
