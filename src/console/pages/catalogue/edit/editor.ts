import { batch, computed, effect, signal, untracked } from '@preact/signals'
import { findProblems, formatProblem } from '../../../../contract/problems.ts'
import { parsePath } from '../../../../contract/product-values.ts'
import { findProductWarnings } from '../../../../contract/product-warnings.ts'
import { ProductInput } from '../../../../contract/records/product.ts'
import type { Problem } from '../../../../contract/rules.ts'
import type { ApiError } from '../../../api.ts'
import { parseProblems } from '../../../explain-problem.ts'
import { removeStoredEdit, storeEdit } from '../../../stored-edits.ts'
import { findGaps } from '../find-gaps.ts'
import type { Edit, Fields, Loaded, Source } from './drafts.ts'
import { isSame } from './merge.ts'
import { formatPath, getAt, type Path, setAt } from './paths.ts'

/** What another editor did meanwhile. */
export interface Conflict extends Loaded {
  /** `deleted`: the product does not exist any more. */
  readonly kind: 'draft' | 'product' | 'discarded' | 'deleted'
}

export type Editor = ReturnType<typeof createEditor>

/** `newName` names the new product in the storage of the tab. */
export function createEditor(
  newName: string,
  knownId: string | undefined,
  edit: Omit<Edit, 'storedAt'>,
) {
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

  let isFirst = true
  effect(() => {
    const current = {
      product: product.value,
      baseline: baseline.value,
      source: source.value,
      pending: pending.value,
    }
    const hasChanges = isDirty.value || current.pending !== undefined
    // Another id or another client does not store the edit again.
    untracked(() => {
      if (!isFirst && hasChanges) storeEdit(name(), { ...current, storedAt: Date.now() })
      else if (!isFirst) removeStoredEdit(name())
    })
    isFirst = false
  })

  return {
    /** Undefined until the draft of a new product is created. */
    id,
    product,
    baseline,
    source,
    pending,
    conflict: signal<Conflict | undefined>(undefined),
    isBusy: signal(false),
    /** How often saving found problems since it last succeeded. */
    attempts: signal(0),
    /** Why the last command failed. */
    error: signal<ApiError | undefined>(undefined),
    /** What was done last. */
    message: signal(''),
    /** What screen readers say about a change in a list. */
    announcement: signal(''),
    /** The path of a value that is shown although what it is in was collapsed. */
    revealed: signal(''),
    /** What the draft is compared with before it is published. */
    review: signal<{ readonly published: Loaded | undefined } | undefined>(undefined),
    isDirty,
    /** What keeps the product out of the public catalogue. */
    gaps: computed(() => findGaps(product.value, id.value)),
    /** Values that are confirmed before they are published. */
    warnings: computed(() => findProductWarnings(product.value)),
    /** All problems of the product, in the order of the contract. */
    problems,
    /** Those of fields that were left, or all of them after an attempt to save. */
    shownProblems: computed(() =>
      isAttempted.value
        ? problems.value
        : problems.value.filter(({ path }) => touched.value.has(path)),
    ),
    /** Undefined removes the field or the element. */
    change(path: Path, value: unknown): void {
      product.value = setAt(product.value, path, value) as Fields
    },
    /** Shows the problems of a field from now on. */
    touch(path: Path): void {
      const text = formatPath(path)
      if (!touched.value.has(text)) touched.value = new Set([...touched.value, text])
    },
    /** Shows all problems from now on. */
    showProblems(): void {
      isAttempted.value = true
    },
    /** Shows problems that the server found. */
    reject(sentences: string): void {
      batch(() => {
        isAttempted.value = true
        rejected.value = parseProblems(sentences).map((problem) => ({
          ...problem,
          value: readText(product.value, problem.path),
        }))
      })
    },
    /** Continues with other content, based on this state of the server. */
    reset(content: Fields, base: Fields, state: Source): void {
      batch(() => {
        product.value = content
        baseline.value = base
        source.value = state
        rejected.value = []
      })
    },
    /** Discards what is stored in the tab. */
    forget: () => removeStoredEdit(name()),
  }
}

export function toStoredName(id: string | undefined, newName: string): string {
  return id === undefined ? `new:${newName}` : `product:${id}`
}

function readText(product: Fields, path: string): string {
  return JSON.stringify(getAt(product, parsePath(path))) ?? ''
}
