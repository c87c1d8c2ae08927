import { Argument, Command } from 'commander'
import {
  type PublishedDocumentName,
  publishedDocumentNames,
} from '../contract/openapi/document-names.ts'
import type { Terminal } from '../server/terminal.ts'
import { version } from '../server/version.ts'

export function openapiCommand(terminal: Terminal): Command {
  return new Command('openapi')
    .summary('print an OpenAPI 3.1 document')
    .description(
      'Prints the API of a provider, a platform or an intake, or what a platform serves to third parties, as an OpenAPI 3.1 document in JSON, for a documentation viewer, a client generator or an API gateway. A server returns its own document at /openapi.json, a platform all of them at /openapi/NAME.json.',
    )
    .addArgument(
      new Argument('[document]', 'the document that is printed')
        .choices(publishedDocumentNames)
        .default('provider'),
    )
    .addHelpText('after', '\nExample: holdfast openapi platform > platform.json')
    .action(async (name: PublishedDocumentName) => {
      const { buildPublishedDocument } = await import('../platform/third-party-api/document.ts')
      terminal.out(`${JSON.stringify(buildPublishedDocument(name, version), null, 2)}\n`)
    })
}
