import * as banking from './banking.ts'
import * as consent from './consent.ts'
import * as energy from './energy.ts'
import type { ExactHandlers } from './handler.ts'

const handlers = { ...banking, ...energy, ...consent }

/** The implementation of each operation in sections A and C of the interface. */
export const providerHandlers: ExactHandlers<typeof handlers> = handlers
