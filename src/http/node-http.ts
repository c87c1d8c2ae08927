/** Not imported: an import of `node:http` also loads Undici, which takes 70 ms in every process. */
export const nodeHttp = process.getBuiltinModule('node:http')
