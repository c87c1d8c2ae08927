import { escapeInvisible } from '../../contract/characters.ts'
import {
  findProblems,
  findPublicationFaults,
  formatProblem,
  normalizer,
  ProductInput,
} from '../../contract/index.ts'
import { publicationFaultsMax } from '../../contract/limits.ts'
import { describePublicity } from '../../contract/publicity.ts'
import { boundedContent, requireValidDraft } from '../../platform/catalogue/changes.ts'
import { formatEntityTag } from '../../platform/catalogue/entity-tags.ts'
import { type CatalogueStore, operator } from '../../platform/catalogue/store.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { type Confirming, confirmWarnings } from './confirm-warnings.ts'
import { findDraft, findNewest, findVersion } from './find.ts'

const clock = () => Temporal.Now.instant()

export async function publishDraft(
  store: CatalogueStore,
  id: string,
  { ifMatch, ...confirming }: Confirming & { readonly ifMatch: string | undefined },
  terminal: Terminal,
): Promise<void> {
  const { draft } = await findDraft(store, id)
  requireValidDraft(draft.record)
  const product: ProductInput = JSON.parse(draft.record)
  await confirmWarnings(product, confirming, terminal)
  const expected = ifMatch ?? draft.tag
  const published = await store.publishDraft(id, { by: operator, clock }, (tag) =>
    // The shell may have removed the quotes.
    [tag, formatEntityTag(tag)].includes(expected),
  )
  if (published === 'outdated') {
    throw new CommandError(
      1,
      `the product has changed since the draft was made: the draft is of version ${draft.base}, the newest version is ${draft.newest}. See the change with holdfast products diff ID --from ${Math.max(draft.base, 1)} --to ${draft.newest}, and save the draft again over HTTP with base-version=${draft.newest}`,
    )
  }
  if (typeof published === 'string') {
    throw new CommandError(1, 'the draft has changed: run holdfast products diff again')
  }
  terminal.out(`published version ${published.version}\n`)
  terminal.out(describeVisibility(id, product))
}

export async function restoreVersion(
  store: CatalogueStore,
  id: string,
  { version, ...confirming }: Confirming & { readonly version: number },
  terminal: Terminal,
): Promise<void> {
  const newest = await findNewest(store, id)
  const { text } = await findVersion(store, id, version)
  if (version === newest.version) {
    throw new CommandError(1, `version ${version} is the published version`)
  }
  const product = normalizer(ProductInput)(JSON.parse(text))
  const problems = findProblems(ProductInput, product, problemsShown)
  if (problems.length > 0) {
    throw new CommandError(
      1,
      `version ${version} does not conform to the present rules: ${problems.map(formatProblem).join('; ')}. Fix this in a draft`,
    )
  }
  await confirmWarnings(product as ProductInput, confirming, terminal)
  const change = { by: operator, clock, ifVersion: [newest.version], isRevival: true }
  const restored = await store.replace(id, boundedContent(product as ProductInput), change)
  if (typeof restored === 'string') {
    throw new CommandError(1, 'the product has changed meanwhile: run the command again')
  }
  terminal.out(`restored version ${version} as version ${restored.version}\n`)
  terminal.out(describeVisibility(id, product as ProductInput))
  if (await store.readDraft(id)) {
    terminal.error('warning: the product has a draft, which is outdated now\n')
  }
}

const problemsShown = 10

/** In the words of the console. */
function describeVisibility(id: string, product: ProductInput): string {
  const gaps = findPublicationFaults({ ...product, product_id: id }, publicationFaultsMax).length
  const advice = gaps === 0 ? '' : ` Run holdfast products check ${id}`
  return `${describePublicity(gaps)}${escapeInvisible(advice)}\n`
}
