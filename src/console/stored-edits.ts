import type { Edit } from './pages/catalogue/edit/drafts.ts'
import { clientId } from './session.ts'

const prefix = 'holdfast-edit:'

/** Edits belong to the client that made them: another client that signs in on the same tab is not offered them. */
const toKey = (name: string) => `${prefix}${clientId.value}:${name}`

/**
 * Keeps unsaved changes in the storage of the browser tab, so that they survive a reload, the end of a session and a
 * restart of the server. `name` is the id of the product, or names the new product.
 */
export function storeEdit(name: string, edit: Edit): void {
  // A command that ends after the sign-out stores nothing.
  if (clientId.value === undefined) return
  try {
    sessionStorage.setItem(toKey(name), JSON.stringify(edit))
  } catch {
    // The storage is full or disabled: the changes are still in the page.
  }
}

export function readStoredEdit(name: string): Edit | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(toKey(name)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

export function removeStoredEdit(name: string): void {
  try {
    sessionStorage.removeItem(toKey(name))
  } catch {
    // Nothing was stored.
  }
}

export function hasStoredEdits(): boolean {
  return listKeys().length > 0
}

/** Removes the edits of all clients. */
export function removeStoredEdits(): void {
  for (const key of listKeys()) sessionStorage.removeItem(key)
}

function listKeys(): string[] {
  try {
    return Object.keys(sessionStorage).filter((key) => key.startsWith(prefix))
  } catch {
    return []
  }
}
