import { describePublicity } from '../../../../contract/publicity.ts'
import { ApiError } from '../../../api.ts'
import { navigate } from '../../../router.ts'
import { catalogueUrl, productUrl } from '../addresses.ts'
import { findGaps } from '../find-gaps.ts'
import { checkConflict, discard, type Outcome, publish, save } from './actions.ts'
import { readServer } from './drafts.ts'
import type { Editor } from './editor.ts'

/** The page of a new product continues at the address that its draft has after the first save. */
let handedOver: Editor | undefined

/** The editor that was handed over for this product, once. */
export function takeHandedOver(id: string | undefined): Editor | undefined {
  const editor = id !== undefined && handedOver?.id.value === id ? handedOver : undefined
  handedOver = undefined
  return editor
}

/** What the buttons of the editor do. */
export function createCommands(editor: Editor) {
  const conclude = (outcome: Outcome, done: string) => {
    if (outcome === 'invalid') editor.attempts.value += 1
    if (outcome === 'unchanged') editor.message.value = 'Nothing has changed.'
    if (outcome === 'done') {
      editor.attempts.value = 0
      editor.message.value = done
    }
  }
  return {
    saveDraft: () => run(editor, async () => conclude(await save(editor), 'The draft is saved.')),

    /** Saves the draft and compares it with the published version. */
    startReview: () =>
      run(editor, async () => {
        const outcome = await save(editor)
        conclude(outcome, 'The draft is saved.')
        if (outcome === 'invalid' || outcome === 'conflict') return
        editor.review.value = await readServer(editor.id.value ?? '')
      }),

    async publishDraft() {
      const outcome = await publish(editor)
      const { baseVersion } = editor.source.value
      const gaps = findGaps(editor.baseline.value, editor.id.value).length
      conclude(
        outcome,
        `The product is published as version ${baseVersion}. ${describePublicity(gaps)}`,
      )
    },

    async discardDraft() {
      const outcome = await discard(editor)
      conclude(outcome, 'The draft is discarded.')
      if (outcome === 'gone') navigate(catalogueUrl, { replace: true })
    },

    /** Compares an outdated draft with the published version. */
    compare: () =>
      run(editor, async () => {
        const { draft } = await readServer(editor.id.value ?? '')
        if (draft) await checkConflict(editor, draft)
      }),
  }
}

/** Runs one command at a time: a second click has no effect. */
async function run(editor: Editor, command: () => Promise<void>): Promise<void> {
  if (editor.isBusy.value) return
  const known = editor.id.value
  editor.isBusy.value = true
  editor.error.value = undefined
  editor.message.value = ''
  try {
    await command()
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown
    editor.error.value = thrown
  } finally {
    editor.isBusy.value = false
  }
  const id = editor.id.value
  if (id === undefined || id === known) return
  handedOver = editor
  navigate(productUrl(id, '/edit'), { replace: true })
}
