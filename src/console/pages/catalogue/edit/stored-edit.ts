import type { Edit } from './drafts.ts'

const prefix = 'holdfast-edit:'

/**
 * Keeps unsaved changes in the storage of the browser tab, so that they survive a reload, the end of a session and a
 * restart of the server. `name` is the id of the product, or names the new product.
 */
export function storeEdit(name: string, edit: Edit): void {
  try {
    sessionStorage.setItem(prefix + name, JSON.stringify(edit))
  } catch {
    // The storage is full or disabled: the changes are still in the page.
  }
}

export function readStoredEdit(name: string): Edit | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + name) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

export function removeStoredEdit(name: string): void {
  try {
    sessionStorage.removeItem(prefix + name)
  } catch {
    // Nothing was stored.
  }
}
