import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { MapRow } from '../../contract/index.ts'
import { CommandError } from '../../server/terminal.ts'

interface MapFile {
  readonly map: MapRow<never>
  /** Describes the place in the file where an error was thrown, as ` at map.ts:12:5`. Empty if it is unknown. */
  findPosition(error: unknown): string
}

/**
 * Imports a mapping function. A file that cannot be imported is invalid usage. TypeScript is an ES module, also in a folder
 * whose `package.json` has the type `commonjs`, as `npm init` writes it, or no type, of which Node would warn.
 */
export async function importMap(name: string): Promise<MapFile> {
  const path = resolve(name)
  if (!existsSync(path)) throw new CommandError(2, `${name}: file not found`)
  const { href } = pathToFileURL(path)
  const findPosition = (error: unknown) => {
    const position = findInStack(error, href) ?? findInStack(error, path)
    return position === undefined ? '' : ` at ${name}:${position}`
  }
  const hooks = registerHooks({
    load: (url, context, nextLoad) =>
      nextLoad(
        url,
        context.format === 'commonjs-typescript' || (!context.format && url.endsWith('.ts'))
          ? { ...context, format: 'module-typescript' }
          : context,
      ),
  })
  const module = await import(href)
    .catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      const text = `${name} cannot be imported${findPosition(error)}: ${message}`
      throw new CommandError(2, text, { cause: error })
    })
    .finally(() => hooks.deregister())
  const map: unknown = module.default
  if (typeof map !== 'function') {
    throw new CommandError(2, `the default export of ${name} must be a function`)
  }
  return { map: map as MapRow<never>, findPosition }
}

/** The line, and the column if known, of the first mention of the file in the stack of an error. */
function findInStack(error: unknown, file: string): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const start = stack.indexOf(`${file}:`)
  if (start < 0) return undefined
  return /^\d+(:\d+)?/.exec(stack.slice(start + file.length + 1))?.[0]
}
