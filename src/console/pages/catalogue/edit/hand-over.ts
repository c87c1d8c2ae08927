import type { Editor } from './editor.ts'

let handedOver: Editor | undefined

/** The page of a new product continues at the address that its draft has after the first save. */
export function handOver(editor: Editor): void {
  handedOver = editor
}

/** The editor that was handed over for this product, once. */
export function takeHandedOver(id: string | undefined): Editor | undefined {
  const editor = id !== undefined && handedOver?.id.value === id ? handedOver : undefined
  handedOver = undefined
  return editor
}
