const { createHash } = process.getBuiltinModule('node:crypto')
const { mkdirSync, readFileSync, renameSync, writeFileSync } = process.getBuiltinModule('node:fs')
const { createRequire } = process.getBuiltinModule('node:module')
const { dirname, join } = process.getBuiltinModule('node:path')
const { constants, Script } = process.getBuiltinModule('node:vm')

const hashBytes = 32

/**
 * Runs the bundled program with a code cache. Node's own compile cache contains what is compiled before a file runs, so that
 * most functions would be compiled again at every start. This one contains every function that was called until the
 * program was loaded. There is one for each role of `serve`, and one for the other commands.
 */
export function loadProgram(file, cacheFolder, args) {
  const content = readFileSync(file)
  const role = args[0] === 'serve' ? /^[a-z]+$/.exec(args[1] ?? '') : null
  // V8 itself compares only the length of the source.
  const version = `${process.version}-${process.arch}-${hash(content).toString('hex', 0, 8)}`
  const cacheFile = join(cacheFolder, `${version}-${role ?? 'command'}`)
  const cachedData = readIfIntact(cacheFile)
  const source = `(function (module, require, __filename) {${content.latin1Slice()}\n})`
  const script = new Script(source, {
    filename: file,
    ...(cachedData && { cachedData }),
    // For the module of a user that maps rows.
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const module = { exports: {} }
  script.runInThisContext()(module, createRequire(file), file)
  if (!cachedData || script.cachedDataRejected) {
    module.exports.onCodeLoaded(() => writeIfPossible(cacheFile, script.createCachedData()))
  }
  return module.exports
}

/** A computer that loses power can leave a damaged file, which would crash V8. */
function readIfIntact(file) {
  try {
    const content = readFileSync(file)
    const data = content.subarray(hashBytes)
    return hash(data).equals(content.subarray(0, hashBytes)) ? data : undefined
  } catch {
    return undefined
  }
}

/** Other processes may write the same file. */
function writeIfPossible(file, data) {
  const temporary = `${file}-${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(temporary, Buffer.concat([hash(data), data]))
    renameSync(temporary, file)
  } catch {
    // A folder of another user: every start compiles what it runs.
  }
}

function hash(data) {
  return createHash('sha256').update(data).digest()
}
