import { Argument, Command, Option } from 'commander'
import { abortOnSignal } from '../server/signals.ts'
import type { Terminal } from '../server/terminal.ts'
import { type StoreFlags, withStore } from './common/database.ts'
import { parseNumber } from './common/parse-number.ts'
import { addSubcommands, createSubcommand, idArgument } from './common/subcommands.ts'
import type { CheckFlags } from './products/check.ts'
import type { DiffFlags } from './products/diff.ts'
import type { ImportFlags } from './products/import/import.ts'
import type { ListFlags } from './products/list.ts'

const limitDefault = 100
const limitMax = 100_000

/** The handlers are loaded by the commands that need them. */
export function productsCommand(terminal: Terminal): Command {
  const command = new Command('products')
    .summary('list, compare, check, import, publish and restore products of the catalogue')
    .description(
      'Shows the products of the catalogue, their versions and drafts, checks whether they can be published in the format of the Consumer Data Standards, imports products from there, publishes drafts and restores versions.',
    )
    .addHelpText(
      'after',
      `
Every change of a product is a version, and all versions are kept. A draft is a
change that is saved but not public: editors save it over HTTP, and publishing
makes it the next version. In the history, the author of what these commands
publish is "holdfast products".

Example:
  holdfast products list --drafts
  holdfast products diff ID
  holdfast products publish ID
  holdfast products diff ID --from 1 --to 3
  holdfast products restore ID --version 1
  holdfast products import https://bank.example/cds-au/v1`,
    )
  return addSubcommands(
    command,
    terminal,
    listCommand,
    showCommand,
    checkCommand,
    importCommand,
    diffCommand,
    publishCommand,
    restoreCommand,
  )
}

/** A flag with a whole number from 1 on. */
function numberOption(flags: string, description: string, max = Number.MAX_SAFE_INTEGER): Option {
  const option = new Option(flags, description)
  return option.argParser((text) => parseNumber(option.long ?? '', text, max))
}

function limitOption(): Option {
  return numberOption('--limit <number>', 'the highest number of lines', limitMax).default(
    limitDefault,
  )
}

function listCommand(terminal: Terminal): Command {
  return createSubcommand(
    'list',
    'list the published products: ID, version, whether it has a draft, time of the last update, data holder that it was imported from, category, name',
  )
    .option('--category <category>', 'only products of this category, such as TERM_DEPOSITS')
    .option('--brand <brand>', 'only products of this brand (exact match)')
    .addOption(
      new Option(
        '--drafts',
        'list the drafts instead, those of new products included: ID, version that the draft was made from, time and author, name',
      ).conflicts(['category', 'brand']),
    )
    .addOption(limitOption())
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', '\nExample: holdfast products list --category TERM_DEPOSITS')
    .action((flags: StoreFlags & ListFlags) =>
      withStore('openCatalogueStore', flags, terminal, async (store) => {
        const { listProducts } = await import('./products/list.ts')
        await listProducts(store, flags, terminal)
      }),
    )
}

function showCommand(terminal: Terminal): Command {
  return createSubcommand('show', 'print a product as JSON: the published version, or another one')
    .addArgument(idArgument('products list'))
    .addOption(new Option('--draft', 'the draft, with its author').conflicts('version'))
    .addOption(numberOption('--version <number>', 'this version'))
    .addHelpText('after', '\nExample: holdfast products show ID --version 1')
    .action((id: string, flags: StoreFlags & ShowFlags) =>
      withStore('openCatalogueStore', flags, terminal, async (store) => {
        const { showProduct } = await import('./products/show.ts')
        await showProduct(store, id, flags.draft ? 'draft' : flags.version, terminal)
      }),
    )
}

interface ShowFlags {
  readonly draft?: true
  readonly version?: number
}

function checkCommand(terminal: Terminal): Command {
  return createSubcommand(
    'check',
    'name every field that keeps a product from being published in the format of the Consumer Data Standards',
  )
    .addArgument(new Argument('[ids...]', 'IDs in the output of products list; default: all'))
    .option('--drafts', 'check the drafts instead, those of new products included')
    .addOption(limitOption())
    .option('--json', 'print one JSON object per line: id, name, field, reason')
    .addHelpText(
      'after',
      `
The newest version of the standards requires fields that the catalogue does not,
such as the loan purpose of a lending rate. A product that lacks one is left out
of the public list. Correct it in a draft, and check the draft before you publish
it. Exits with 1 if a product cannot be published.

Example:
  holdfast products check
  holdfast products check ID --drafts`,
    )
    .action((ids: string[], flags: StoreFlags & CheckFlags) =>
      withStore('openCatalogueStore', flags, terminal, async (store) => {
        const { checkProducts } = await import('./products/check.ts')
        await checkProducts(store, ids, flags, terminal)
      }),
    )
}

const timeoutDefault = 30
const timeoutMax = 600

function importCommand(terminal: Terminal): Command {
  return createSubcommand(
    'import',
    'import the products that a data holder publishes in the format of the Consumer Data Standards',
  )
    .addArgument(
      new Argument(
        '<from>',
        'the base URL of its public API, such as https://bank.example/cds-au/v1; the URL of its list, which may have filters; or a file, - for standard input',
      ),
    )
    .option(
      '--origin <name>',
      'the data holder that the products come from: the URL of its API, or any name; required for a file, and by default the URL',
    )
    .option(
      '--replace <ids...>',
      'replace these products although they were written here, deleted here or imported from another data holder',
    )
    .option('-y, --yes', 'replace without asking')
    .addOption(
      numberOption('--timeout <seconds>', 'how long a response may take', timeoutMax).default(
        timeoutDefault,
      ),
    )
    .option('--json', 'print one JSON object per line, the last one with the summary')
    .addHelpText(
      'after',
      `
Reads all pages of the list and the detail of each product, in the newest of the
versions 4 to 7 that the holder has. A file contains one response of Get Product
Detail, an array of them, or one on each line.

A product keeps its productId, its brand and its lastUpdated, or the present time
if that is in the future. Each version is stored with its origin, which products
list shows. An import changes a product only if its newest version has the same
origin. Products that were written or changed here, deleted here, or imported from
another data holder are kept and listed. To replace them, name them with
--replace; the command lists them and asks.

In the history, the author is "holdfast products". Values that the catalogue
cannot hold are left out, and each is named with its path in the response. A fee
with several prices becomes several fees.

A product of a URL is requested only if it is new or its lastUpdated is another:
to continue an import that was interrupted, run the command again. At most four
requests are sent at the same time, and none while the server asks to wait.

Exits with 1 if a product could not be imported. A product that is kept is no
error.

Example:
  holdfast products import https://bank.example/cds-au/v1
  holdfast products import 'https://bank.example/cds-au/v1/banking/products?product-category=TERM_DEPOSITS'
  holdfast products import details.ndjson --origin 'Other Bank'
  holdfast products import https://bank.example/cds-au/v1 --replace p1 p2`,
    )
    .action((from: string, flags: StoreFlags & ImportFlags) =>
      abortOnSignal(async (signal, stoppedBy) => {
        const { importProducts } = await import('./products/import/import.ts')
        await importProducts(from, flags, terminal, { signal, stoppedBy })
      }),
    )
}

function diffCommand(terminal: Terminal): Command {
  return createSubcommand('diff', 'compare two versions of a product field by field')
    .addArgument(idArgument('products list'))
    .addOption(numberOption('--from <number>', 'the earlier version'))
    .addOption(
      new Option('--to <version>', 'the later version: a number, or draft').argParser((text) =>
        text === 'draft' ? text : parseNumber('--to', text, Number.MAX_SAFE_INTEGER, ' or draft'),
      ),
    )
    .option('--json', 'print one JSON object per difference')
    .addHelpText(
      'after',
      `
Without --from and --to, compares the published version with the draft. If the
product has no draft, compares the last two versions. A line begins with + for
an added field, - for a removed and ~ for a changed one.

Example: holdfast products diff ID --from 2 --to draft`,
    )
    .action((id: string, flags: StoreFlags & DiffFlags) =>
      withStore('openCatalogueStore', flags, terminal, async (store) => {
        const { printDiff } = await import('./products/diff.ts')
        await printDiff(store, id, flags, terminal)
      }),
    )
}

function publishCommand(terminal: Terminal): Command {
  return createSubcommand('publish', 'publish the draft of a product as its next version')
    .addArgument(idArgument('products list'))
    .option('--if-match <etag>', 'only if the draft has this ETag, which products diff prints')
    .addOption(yesOption())
    .addHelpText(
      'after',
      `
A draft is not published if the product has changed since the draft was made.
${unlikelyValues}

Example: holdfast products publish ID`,
    )
    .action((id: string, flags: StoreFlags & ConfirmFlags & { readonly ifMatch?: string }) =>
      abortOnSignal((signal) =>
        withStore('openCatalogueStore', flags, terminal, async (store) => {
          const { publishDraft } = await import('./products/publish.ts')
          const { ifMatch, yes = false } = flags
          await publishDraft(store, id, { ifMatch, yes, signal }, terminal)
        }),
      ),
    )
}

interface ConfirmFlags {
  readonly yes?: boolean
}

function yesOption(): Option {
  return new Option('-y, --yes', 'publish unlikely values without asking')
}

const unlikelyValues = `The command names unlikely values, such as a rate above 50 % a year or a fee without
an amount, and asks whether to publish them.`

function restoreCommand(terminal: Terminal): Command {
  return createSubcommand(
    'restore',
    'publish an earlier version of a product again, as a new version',
  )
    .addArgument(idArgument('products list'))
    .addOption(numberOption('--version <number>', 'the version to restore').makeOptionMandatory())
    .addOption(yesOption())
    .addHelpText(
      'after',
      `
A deleted product exists again when one of its versions is restored. To compare
first: holdfast products diff ID --from VERSION --to VERSION
${unlikelyValues}

Example: holdfast products restore ID --version 1`,
    )
    .action((id: string, flags: StoreFlags & ConfirmFlags & { readonly version: number }) =>
      abortOnSignal((signal) =>
        withStore('openCatalogueStore', flags, terminal, async (store) => {
          const { restoreVersion } = await import('./products/publish.ts')
          const { version, yes = false } = flags
          await restoreVersion(store, id, { version, yes, signal }, terminal)
        }),
      ),
    )
}
