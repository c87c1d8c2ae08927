import { Command } from 'commander'
import { CommandError } from '../server/terminal.ts'

const details = `
Requests are signed with the newest signing key in the database, or with the key of --key. To sign on another machine, export a
key with holdfast keys export.

In a terminal, the response is formatted. In a pipe or a file, it is the exact bytes of the provider. --all reads all pages of a list
and prints each record as one line of JSON.

Examples, for the demo:
  holdfast call listBankingTransactions --customer c-000001 --account b-000001-1 --page-size 2
  holdfast call listBankingTransactions --customer c-000001 --account b-000001-1 --all > transactions.ndjson
  holdfast call searchCustomers --email ana@example.com --provider-url https://bank.example --subdomain bank --key platform.jwk
For the parameters of an operation: holdfast call OPERATION --help

Exit status: 0 success, 1 an error response (its body is printed) or no response, 2 invalid usage.`

/** Without the operations: `addOperationCommands` adds them, because they load the contract. */
export function callCommand(): Command {
  return new Command('call')
    .summary('call an operation of a provider')
    .description(
      'Sends one request to a provider, with a token that is signed for it, and prints the response. Every operation has a subcommand, by its name or its reference, with a flag for each parameter. A provider may leave out those that are marked as extensions.',
    )
    .usage('OPERATION [options]')
    .addHelpText('after', details)
    .argument('[operation...]')
    .allowUnknownOption()
    .action(async ([name = '']: readonly string[]) => {
      if (name === '' || name.startsWith('-'))
        throw new CommandError(2, 'name an operation before the flags: run holdfast call --help')
      const { describeUnknownOperation } = await import('./call/unknown-operation.ts')
      throw new CommandError(
        2,
        `${describeUnknownOperation(name)}\nRun holdfast call --help for all operations.`,
      )
    })
}
