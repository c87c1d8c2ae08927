import * as banking from './banking.ts'
import * as consent from './consent.ts'
import * as energy from './energy.ts'
import type { Handlers } from './handler.ts'

/** What each operation of sections A and C does. */
export const providerHandlers: Handlers = { ...banking, ...energy, ...consent }
