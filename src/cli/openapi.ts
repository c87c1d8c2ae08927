import { Command } from 'commander'
import { openApiDocument } from '../contract/index.ts'
import type { Terminal } from './terminal.ts'

export function openapiCommand(version: string, terminal: Terminal): Command {
  return new Command('openapi')
    .summary('print the OpenAPI 3.1 document')
    .description(
      'Prints the whole interface as an OpenAPI 3.1 document in JSON, for a viewer, a client generator\nor a gateway.',
    )
    .addHelpText('after', '\nExample: holdfast openapi > openapi.json')
    .action(() => terminal.out(`${JSON.stringify(openApiDocument(version), null, 2)}\n`))
}
