import { scalars } from '../../../contract/scalars.ts'
import { CommandError } from '../../../server/terminal.ts'
import { listPath, parseListUrl } from './holder-products.ts'

/** The data holder that products come from, as it is stored with each version. `name` is that of the flag --origin. */
export function readOrigin(name: string | undefined, listUrl: URL | undefined): string {
  const text = name ?? listUrl?.href
  if (text === undefined) {
    throw new CommandError(
      2,
      'a file needs --origin NAME, the data holder that its products come from: the URL of its API, or any name that you always use for it',
    )
  }
  const origin = isUrl(text) ? toOrigin(parseListUrl(text)) : text
  if (scalars.id.test(origin)) return origin
  throw new CommandError(2, `--origin must be ${scalars.id.mustBe}`)
}

export function isUrl(text: string): boolean {
  return /^https?:/i.test(text)
}

/** The same for every version of the API and every list of a holder. */
function toOrigin({ origin, pathname }: URL): string {
  const base = pathname.slice(0, -listPath.length).replace(/\/cds-au(\/.*)?$/, '')
  return origin + base.replace(/\/+$/, '')
}
