import { posix } from 'node:path'

export interface File {
  readonly path: string
  readonly text: string
}

/** What starts a server or a process, or opens a database. */
const programs = /^node:(child_process|http|https|net|sqlite|tls)$|\/(cli|http|server|storage)\//

/**
 * The targets of all imports. An import of a computed value is returned as written, and allowed nowhere.
 * Text that looks like an import counts as one.
 */
export function findImports(text: string): string[] {
  const named = text.matchAll(/\b(?:from|import)\s*\(?\s*(['"])([\w@./:#-]+)\1/g)
  const computed = text.matchAll(/\bimport\s*\((?!\s*(['"])[\w@./:#-]+\1\s*[,)])[^)]*\)/g)
  return [...[...named].map(([, , target = '']) => target), ...[...computed].map(([call]) => call)]
}

/** Whether a test, or a helper of it, starts a server or a process, or opens a database. */
export function usesProgram({ path, text }: File, files: readonly File[]): boolean {
  return findImports(text).some((target) => {
    if (programs.test(target)) return true
    const imported = posix.join(posix.dirname(path), target)
    const helper = target.startsWith('.') && imported.startsWith('test/')
    const file = helper ? files.find((each) => each.path === imported) : undefined
    return file !== undefined && usesProgram(file, files)
  })
}

/** Each cycle that a depth-first walk over the imports meets, as `a → b → a`. */
export function findImportCycles(modules: readonly File[]): string[] {
  const imports = new Map(
    modules.map(({ path, text }) => [
      path,
      findImports(text).map((target) => posix.join(posix.dirname(path), target)),
    ]),
  )
  const finished = new Set<string>()
  const cyclesFrom = (path: string, trail: readonly string[]): string[] => {
    const start = trail.indexOf(path)
    if (start >= 0) return [[...trail.slice(start), path].join(' → ')]
    if (finished.has(path)) return []
    const cycles = (imports.get(path) ?? []).flatMap((next) => cyclesFrom(next, [...trail, path]))
    finished.add(path)
    return cycles
  }
  return [...imports.keys()].flatMap((path) => cyclesFrom(path, []))
}
