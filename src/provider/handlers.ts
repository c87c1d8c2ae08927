import * as banking from './banking.ts'
import * as contact from './contact.ts'
import * as customers from './customers.ts'
import * as energy from './energy.ts'
import type { ExactHandlers } from './handler.ts'

const handlers = { ...banking, ...energy, ...contact, ...customers }

/** The implementation of each operation in sections A and C of the interface. */
export const providerHandlers: ExactHandlers<typeof handlers> = handlers
