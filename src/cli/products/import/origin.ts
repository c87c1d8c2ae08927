import { scalars } from '../../../contract/scalars.ts'
import { CommandError } from '../../../server/terminal.ts'
import { listParameters, listPath, parseListUrl } from './holder-products.ts'

/** The data holder that products come from, as it is stored with each version. `name` is that of the flag --origin. */
export function readOrigin(name: string | undefined, listUrl: URL | undefined): string {
  const text = name ?? listUrl?.href
  if (text === undefined) {
    throw new CommandError(
      2,
      'a file needs --origin NAME, the data holder that its products come from: the URL of its API, or any name that you always use for it',
    )
  }
  if (name === undefined && listUrl && hasOwnParameters(listUrl)) {
    throw new CommandError(
      2,
      'a URL with parameters of its own needs --origin NAME, the data holder: a parameter may select one of several',
    )
  }
  const origin = isUrl(text) ? toOrigin(parseListUrl(text)) : text
  if (scalars.id.test(origin)) return origin
  throw new CommandError(2, `--origin must be ${scalars.id.mustBe}`)
}

export function isUrl(text: string): boolean {
  return /^https?:/i.test(text)
}

/** All versions of the API have the same origin. What follows the version may select one of several holders. */
function toOrigin({ origin, pathname }: URL): string {
  const base = pathname.slice(0, -listPath.length).replace(/\/+$/, '')
  return origin + base.replace(/\/cds-au(\/v\d+)?$/, '').replace(/\/+$/, '')
}

function hasOwnParameters({ searchParams }: URL): boolean {
  return [...searchParams.keys()].some((name) => !listParameters.includes(name))
}
