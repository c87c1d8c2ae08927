/** What a process that a test starts sees of ours: where compiled code is kept, so that it starts sooner. */
export const inherited: Readonly<Record<string, string>> = process.env['NODE_COMPILE_CACHE']
  ? { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }
  : {}
