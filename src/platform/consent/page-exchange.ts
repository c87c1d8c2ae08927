import { type Brand, type Page, renderLayout } from './pages/layout.ts'
import type { OverLimit } from './passcode-budgets.ts'
import { isFormToken } from './sealed-states.ts'

/** A request to a page, and what it says about its browser. */
export interface PageRequest {
  /** The secret in the cookie. */
  readonly secret: string | undefined
  /** The form of a POST request. */
  readonly form: URLSearchParams | undefined
  /** The address of the browser, for limits. */
  readonly source: string
  /** Whether the browser says that another site sent the form. */
  readonly isCrossSite: boolean
  readonly interactionId: string
}

/** A file that the browser saves. */
export interface Download {
  readonly name: 'records.csv' | 'records.html'
  readonly content: AsyncIterable<string>
}

export interface PageResponse {
  readonly status: number
  readonly html?: string
  /** Instead of a page. */
  readonly download?: Download
  /** Where the browser goes next; empty for the page itself. */
  readonly location?: string
  /** A new secret for the cookie; empty to remove it. */
  readonly secret?: string
  /** The origin that a form of the page may lead to, besides its own. */
  readonly formTarget?: string
  /** The limit of a response with status 429. */
  readonly over?: OverLimit | undefined
}

export function renderPage({ brand }: { brand: Brand }, status: number, page: Page): PageResponse {
  return { status, html: renderLayout(brand, page) }
}

/** Whether the page that the secret belongs to sent the form. */
export function isOwnForm({ isCrossSite, form }: PageRequest, secret: string): boolean {
  return !isCrossSite && isFormToken(secret, form?.get('token') ?? '')
}
