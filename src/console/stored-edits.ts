import { parseJson } from '../contract/parse-json.ts'
import type { Edit } from './pages/catalogue/edit/drafts.ts'
import { userKey } from './session.ts'

const prefix = 'holdfast-edit:'

/** Undefined if the browser denies it. */
const storage = openStorage()

function openStorage(): Storage | undefined {
  try {
    return window.sessionStorage
  } catch {
    return undefined
  }
}

/** Edits belong to the user that made them: another one who signs in on the same tab is not offered them. */
const toKey = (name: string) => `${prefix}${userKey.value}:${name}`

/**
 * Keeps unsaved changes in the storage of the browser tab, so that they survive a reload, the end of a session and a
 * restart of the server. `name` is the id of the product, or names the new product.
 */
export function storeEdit(name: string, edit: Edit): void {
  // A command that ends after the sign-out stores nothing.
  if (userKey.value === undefined) return
  try {
    storage?.setItem(toKey(name), JSON.stringify(edit))
  } catch {
    // The storage is full: the changes are still in the page.
  }
}

export function readStoredEdit(name: string): Edit | undefined {
  return parseJson(storage?.getItem(toKey(name)) ?? '') as Edit | undefined
}

export function removeStoredEdit(name: string): void {
  storage?.removeItem(toKey(name))
}

export function hasStoredEdits(): boolean {
  return listKeys().length > 0
}

/** Removes the edits of all users. */
export function removeStoredEdits(): void {
  for (const key of listKeys()) storage?.removeItem(key)
}

function listKeys(): string[] {
  return Object.keys(storage ?? {}).filter((key) => key.startsWith(prefix))
}
