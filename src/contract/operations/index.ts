import type { Operation } from '../operation.ts'
import * as access from './access.ts'
import * as banking from './banking.ts'
import * as catalogue from './catalogue.ts'
import * as checks from './checks.ts'
import * as consents from './consents.ts'
import * as contact from './contact.ts'
import * as customers from './customers.ts'
import * as drafts from './drafts.ts'
import * as energy from './energy.ts'
import * as explorer from './explorer.ts'
import * as intake from './intake.ts'
import * as monitoring from './monitoring.ts'

/** The modules export operations and nothing else, so that exporting an operation registers it. */
type Operations = Readonly<Record<string, Operation>>

/** Sorts by reference: the exports of a module are enumerated by name. */
function inOrder<Module extends Operations>(operations: Module): Module {
  const sorted = Object.entries(operations).sort(([, a], [, b]) => (a.ref < b.ref ? -1 : 1))
  return Object.fromEntries(sorted) as Module
}

// The types are written out, or each declaration of the package would repeat every schema: 1.4 MB.

/** Sections A and C of the interface: the operations of a data provider. */
export const providerOperations: typeof banking &
  typeof energy &
  typeof contact &
  typeof customers = {
  ...inOrder(banking),
  ...inOrder(energy),
  ...inOrder(contact),
  ...inOrder(customers),
}

/** Section D of the interface, and the other operations that a catalogue needs. */
export const catalogueOperations: typeof catalogue & typeof drafts = {
  ...inOrder(catalogue),
  ...inOrder(drafts),
}

/** Tokens for API clients, sessions of browsers, and the public keys that providers verify platform tokens with. */
export const accessOperations: typeof access = inOrder(access)

/** Consents of customers, for the systems of the data provider. They are no part of the interface. */
export const consentOperations: typeof consents = inOrder(consents)

/** The state of the servers, metrics and rejected requests, for operators. They are no part of the interface. */
export const monitoringOperations: typeof monitoring = inOrder(monitoring)

/** Checks of the provider. They are no part of the interface. */
export const checkOperations: typeof checks = inOrder(checks)

/** Calls to the provider that the platform signs. They are no part of the interface. */
export const explorerOperations: typeof explorer = inOrder(explorer)

/** Every operation of the platform. */
export const platformOperations: typeof catalogueOperations &
  typeof accessOperations &
  typeof consentOperations &
  typeof monitoringOperations &
  typeof checkOperations &
  typeof explorerOperations = {
  ...catalogueOperations,
  ...accessOperations,
  ...consentOperations,
  ...monitoringOperations,
  ...checkOperations,
  ...explorerOperations,
}

/** Feeds of data over HTTP. They are no part of the interface. */
export const intakeOperations: typeof intake = inOrder(intake)

/** Every operation by its id. OpenAPI, the client and the handlers use the same ids. */
export const operations: typeof providerOperations &
  typeof platformOperations &
  typeof intakeOperations = {
  ...providerOperations,
  ...platformOperations,
  ...intakeOperations,
}

export type OperationId = keyof typeof operations
export type OperationOf<Id extends OperationId> = (typeof operations)[Id]
