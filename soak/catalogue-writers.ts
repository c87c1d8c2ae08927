import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { callDrafts, ifMatch } from '../test/catalogue/draft-calls.ts'
import { productWithFields } from '../test/catalogue/products.ts'
import { callPlatform, productPath } from '../test/support/call-platform.ts'
import { openProductModel, type ProductModel } from './catalogue-model.ts'
import { compareCatalogue, compareProduct } from './compare-catalogue.ts'
import type { SoakContext } from './context.ts'
import type { PairAnswer, PlatformPair } from './platform-pair.ts'
import { pick } from './random-request.ts'

/** Several writers change each product, so that conditional requests conflict. */
const writers = 3
const productsMin = 3
const pauseMaxMs = 40

/** A product with as many versions is compared, and changed no more. */
const versionsMax = 12

type Caller = ReturnType<typeof callPlatform> & {
  readonly drafts: ReturnType<typeof callDrafts>
}

export interface Catalogue {
  readonly context: SoakContext
  /** Sends a request to one of the platforms until it is answered. */
  ask(name: string, send: (caller: Caller) => ReturnType<Caller['create']>): Promise<PairAnswer>
}

export function openCatalogue(
  context: SoakContext,
  pair: PlatformPair,
  getToken: () => Promise<string>,
): Catalogue {
  return {
    context,
    async ask(name, send) {
      const token = await getToken()
      return pair.ask(name, (port) => {
        const caller = callPlatform(port, token)
        return send({ ...caller, drafts: callDrafts(caller) })
      })
    },
  }
}

/** Creates, changes and publishes products on two platforms that are killed, and compares them with the model. */
export async function runCatalogue(catalogue: Catalogue, isOver: () => boolean): Promise<void> {
  const current: ProductModel[] = []
  const finished: ProductModel[] = []
  const write = async () => {
    for (let round = 0; round < steps.length || !isOver(); round += 1) {
      if (current.length < productsMin) current.push(await createProduct(catalogue))
      const step = round < steps.length ? steps[round] : pick(steps)
      await step?.(catalogue, pick(current))
      for (const [index, product] of current.entries()) {
        if (product.newest() >= versionsMax) finished.push(...current.splice(index, 1))
      }
      await wait(Math.random() * pauseMaxMs)
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  // A product may have been changed by a second writer when the first one finished it, so all are compared at the end.
  const products = [...finished, ...current]
  for (const product of products) await compareProduct(catalogue, product)
  await compareCatalogue(catalogue, products)
}

/** A product of its own name and category. */
function createContent() {
  return productWithFields({ name: `Product ${randomUUID()}`, brand: 'Soak' }) as {
    readonly name: string
  }
}

async function createProduct(catalogue: Catalogue): Promise<ProductModel> {
  return Math.random() < 0.5 ? createPublished(catalogue) : createFromDraft(catalogue)
}

/** P1. A repeated request creates no second product. */
async function createPublished({ context: { tally }, ask }: Catalogue): Promise<ProductModel> {
  const content = createContent()
  const key = { 'idempotency-key': randomUUID() }
  const { status, text, body } = await ask('P1', (caller) => caller.create(content, key))
  if (status !== 201) throw new Error(`P1 got ${status} ${text}`)
  const product = openProductModel(tally, body.product_id)
  product.acknowledge(1, content.name)
  tally.count('catalogue: products created')
  return product
}

/** D6 and D4 */
async function createFromDraft({ context: { tally }, ask }: Catalogue): Promise<ProductModel> {
  const content = createContent()
  const key = { 'idempotency-key': randomUUID() }
  const created = await ask('D6', (caller) => caller.drafts.create(content, key))
  if (created.status !== 201) throw new Error(`D6 got ${created.status} ${created.text}`)
  const product = openProductModel(tally, created.body.product.product_id)
  product.saveDraft(created.headers['etag'] ?? '', content.name)
  const published = await ask('D4', ({ drafts }) => drafts.publish(product.id, ifMatch(created)))
  if (published.status === 204) {
    product.useDraft(created.headers['etag'] ?? '', true)
    product.acknowledge(readVersion(published), content.name)
  } else if (published.attempts > 1 && published.status === 404) {
    // An earlier attempt published it: no other writer knows the draft.
    product.acknowledge(1, content.name)
  } else {
    throw new Error(`D4 of a new product got ${published.status} ${published.text}`)
  }
  tally.count('catalogue: products created from drafts')
  return product
}

/** What a writer does with a product. Other writers may do something else with it at the same time. */
type Step = (catalogue: Catalogue, product: ProductModel) => Promise<void>

/** P3 and P2 with If-Match */
const update: Step = async (catalogue, product) => {
  await replace(catalogue, product, createContent())
}

/** A version is restored by sending it again. */
const restore: Step = async (catalogue, product) => {
  const version = 1 + Math.floor(Math.random() * product.newest())
  const path = `${productPath(product.id)}?version=${version}`
  const { status, text, body } = await catalogue.ask('P3', (caller) => caller.get(path))
  if (status !== 200) throw new Error(`acknowledged version ${version} got ${status} ${text}`)
  if (await replace(catalogue, product, body)) catalogue.context.tally.count('catalogue: restored')
}

/** Returns whether the version was acknowledged. */
async function replace(
  { context: { tally }, ask }: Catalogue,
  product: ProductModel,
  content: { readonly name: string },
): Promise<boolean> {
  const read = await ask('P3', (caller) => caller.get(productPath(product.id)))
  if (read.status !== 200) throw new Error(`product ${product.id} got ${read.status} ${read.text}`)
  const answer = await ask('P2', (caller) => caller.replace(product.id, content, ifMatch(read)))
  const isReplaced = answer.status === 204
  if (isReplaced) product.acknowledge(readVersion(answer), content.name)
  else requireConflict(tally, product, answer, 'P2', [412], () => product.allow(content.name))
  tally.count(`catalogue: updates ${isReplaced ? 'acknowledged' : 'rejected'}`)
  return isReplaced
}

/** D2 and D1: replaces the draft that exists with If-Match, or creates one with If-None-Match. */
const saveDraft: Step = async (catalogue, product) => {
  const { context, ask } = catalogue
  const { tally } = context
  const content = createContent()
  const { status, headers } = await readDraft(catalogue, product)
  const tag = headers['etag'] ?? ''
  const condition = status === 200 ? { 'if-match': tag } : { 'if-none-match': '*' }
  const isBased = Math.random() < 0.5
  const query = isBased ? `?base-version=${product.newest()}` : ''
  const answer = await ask('D1', ({ drafts }) => drafts.save(product.id, content, condition, query))
  const isSaved = answer.status === 204
  if (isSaved) {
    if (status === 200) product.useDraft(tag, false)
    product.saveDraft(answer.headers['etag'] ?? '', content.name)
  } else requireConflict(tally, product, answer, 'D1', [412])
  tally.count(`catalogue: drafts ${isSaved ? 'saved' : 'rejected'}`)
}

/** D2 and D4 */
const publish: Step = async (catalogue, product) => {
  const { context, ask } = catalogue
  const { tally } = context
  const read = await readDraft(catalogue, product)
  if (read.status !== 200) return
  const { name } = read.body.product
  const answer = await ask('D4', ({ drafts }) => drafts.publish(product.id, ifMatch(read)))
  const isPublished = answer.status === 204
  if (isPublished) {
    product.useDraft(read.headers['etag'] ?? '', true)
    product.acknowledge(readVersion(answer), name)
  } else requireConflict(tally, product, answer, 'D4', [404, 412], () => product.allow(name))
  tally.count(`catalogue: publications ${isPublished ? 'acknowledged' : 'rejected'}`)
}

/** D2 and D3 */
const discard: Step = async (catalogue, product) => {
  const { context, ask } = catalogue
  const read = await readDraft(catalogue, product)
  if (read.status !== 200) return
  const answer = await ask('D3', ({ drafts }) => drafts.discard(product.id, ifMatch(read)))
  if (answer.status === 204) {
    product.useDraft(read.headers['etag'] ?? '', false)
    context.tally.count('catalogue: drafts discarded')
  } else requireConflict(context.tally, product, answer, 'D3', [404, 412])
}

/** The history has every version that was acknowledged before, without gaps. */
const readHistory: Step = async ({ context: { tally }, ask }, product) => {
  const newest = product.newest()
  const { status, body } = await ask('history', (caller) =>
    caller.history(product.id, '?page-size=100'),
  )
  tally.count('catalogue: histories read')
  const versions: number[] = body?.data?.history?.map(({ version }: { version: number }) => version)
  const isGapless = versions?.every((version, index) => version === versions.length - index)
  if (status !== 200 || !isGapless || versions.length < newest)
    tally.fault('wrong', `product ${product.id}: ${status}, versions ${versions}, not ${newest}`)
}

const steps: readonly Step[] = [
  update,
  saveDraft,
  publish,
  saveDraft,
  discard,
  restore,
  readHistory,
  saveDraft,
  publish,
]

async function readDraft({ ask }: Catalogue, product: ProductModel): Promise<PairAnswer> {
  const read = await ask('D2', ({ drafts }) => drafts.read(product.id))
  if (read.status === 200) {
    product.saveDraft(read.headers['etag'] ?? '', read.body.product.name)
  } else if (read.status !== 404) {
    throw new Error(`the draft of ${product.id} got ${read.status} ${read.text}`)
  }
  return read
}

/** Another writer was faster, or an earlier attempt was executed and its response was lost. */
function requireConflict(
  tally: SoakContext['tally'],
  { id }: ProductModel,
  { status, text, attempts }: PairAnswer,
  name: string,
  conflicts: readonly number[],
  onLost: () => void = () => {},
): void {
  if (!conflicts.includes(status))
    tally.fault('wrong', `product ${id}: ${name} got ${status} ${text}`)
  if (attempts > 1) onLost()
}

function readVersion({ headers }: PairAnswer): number {
  return Number(JSON.parse(headers['etag'] ?? '0'))
}
