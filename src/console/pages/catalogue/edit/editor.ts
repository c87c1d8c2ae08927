import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { findProblems, formatProblem } from '../../../../contract/problems.ts'
import { ProductInput } from '../../../../contract/records/product.ts'
import type { Problem } from '../../../../contract/rules.ts'
import type { ApiError } from '../../../api.ts'
import { removeStoredEdit, storeEdit } from '../../../stored-edits.ts'
import type { Edit, Fields, Loaded, Source } from './drafts.ts'
import { isSame } from './merge.ts'
import { parseProblems } from './parse-problems.ts'
import { formatPath, getAt, type Path, setAt } from './paths.ts'

/** What another editor did meanwhile. */
export interface Conflict extends Loaded {
  /** `deleted`: the product does not exist any more. */
  readonly kind: 'draft' | 'product' | 'discarded' | 'deleted'
}

/** What the draft is compared with. */
export interface Review {
  /** Undefined: customers do not see the product yet. */
  readonly published: Loaded | undefined
}

export interface Editor {
  /** Undefined until the draft of a new product is created. */
  readonly id: Signal<string | undefined>
  readonly product: Signal<Fields>
  readonly baseline: Signal<Fields>
  readonly source: Signal<Source>
  readonly pending: Signal<Edit['pending']>
  readonly conflict: Signal<Conflict | undefined>
  readonly isBusy: Signal<boolean>
  /** How often saving found problems since it last succeeded. */
  readonly attempts: Signal<number>
  /** Why the last command failed. */
  readonly error: Signal<ApiError | undefined>
  /** What was done last. */
  readonly message: Signal<string>
  /** What screen readers say about a change in a list. */
  readonly announcement: Signal<string>
  /** The path of a value that is shown although what it is in was collapsed. */
  readonly revealed: Signal<string>
  /** The draft is reviewed before it is published. */
  readonly review: Signal<Review | undefined>
  readonly isDirty: ReadonlySignal<boolean>
  /** All problems of the product, in the order of the contract. */
  readonly problems: ReadonlySignal<readonly Problem[]>
  /** Those of fields that were left, or all of them after an attempt to save. */
  readonly shownProblems: ReadonlySignal<readonly Problem[]>
  /** Undefined removes the field or the element. */
  change(path: Path, value: unknown): void
  /** Shows the problems of a field from now on. */
  touch(path: Path): void
  /** Shows all problems from now on. */
  showProblems(): void
  /** Shows problems that the server found. */
  reject(sentences: string): void
  /** Continues with other content, based on this state of the server. */
  reset(product: Fields, baseline: Fields, source: Source): void
  /** Discards what is stored in the tab. */
  forget(): void
}

/** `newName` names the new product in the storage of the tab. */
export function createEditor(
  newName: string,
  knownId: string | undefined,
  edit: Omit<Edit, 'storedAt'>,
): Editor {
  const id = signal(knownId)
  const name = () => toStoredName(id.value, newName)
  const product = signal(edit.product)
  const baseline = signal(edit.baseline)
  const source = signal(edit.source)
  const pending = signal(edit.pending)
  const isAttempted = signal(false)
  const touched = signal<ReadonlySet<string>>(new Set())
  const rejected = signal<readonly (Problem & { readonly value: unknown })[]>([])
  const isDirty = computed(() => !isSame(baseline.value, product.value))
  const problems = computed(() => {
    const found = findProblems(ProductInput, product.value)
    const known = new Set(found.map(formatProblem))
    // A problem that the server found disappears when its field changes.
    const others = rejected.value.filter(
      (problem) =>
        !known.has(formatProblem(problem)) &&
        problem.value === readText(product.value, problem.path),
    )
    return [...found, ...others.map(({ path, reason }) => ({ path, reason }))]
  })

  const store = () => {
    if (!isDirty.value && !pending.value) removeStoredEdit(name())
    else
      storeEdit(name(), {
        product: product.value,
        baseline: baseline.value,
        source: source.value,
        pending: pending.value,
        storedAt: Date.now(),
      })
  }
  for (const each of [product, baseline, source, pending] as const) {
    let isFirst = true
    each.subscribe(() => {
      if (!isFirst) store()
      isFirst = false
    })
  }

  return {
    id,
    product,
    baseline,
    source,
    pending,
    conflict: signal(undefined),
    isBusy: signal(false),
    attempts: signal(0),
    error: signal(undefined),
    message: signal(''),
    announcement: signal(''),
    revealed: signal(''),
    review: signal(undefined),
    isDirty,
    problems,
    shownProblems: computed(() =>
      isAttempted.value
        ? problems.value
        : problems.value.filter(({ path }) => touched.value.has(path)),
    ),
    change(path, value) {
      product.value = setAt(product.value, path, value) as Fields
    },
    touch(path) {
      const text = formatPath(path)
      if (!touched.value.has(text)) touched.value = new Set([...touched.value, text])
    },
    showProblems() {
      isAttempted.value = true
    },
    reject(sentences) {
      batch(() => {
        isAttempted.value = true
        rejected.value = parseProblems(sentences).map((problem) => ({
          ...problem,
          value: readText(product.value, problem.path),
        }))
      })
    },
    reset(content, base, state) {
      batch(() => {
        product.value = content
        baseline.value = base
        source.value = state
        rejected.value = []
      })
    },
    forget: () => removeStoredEdit(name()),
  }
}

export function toStoredName(id: string | undefined, newName: string): string {
  return id === undefined ? `new:${newName}` : `product:${id}`
}

function readText(product: Fields, path: string): string {
  const parts = path.split(/[.[\]]+/).filter((part) => part !== '')
  return JSON.stringify(path === '' ? product : getAt(product, parts)) ?? ''
}
