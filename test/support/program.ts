import { fileURLToPath } from 'node:url'

/** The command that is tested: as it is published where the run has built it, otherwise the source. */
export const holdfastProgram =
  process.env['PROGRAM_FOR_TESTS'] ??
  fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url))
