/** The interface as data: every record, operation and error, and what is derived from them. */

export { normalizer } from './aliases.ts'
export * from './cds/effective.ts'
export { toAmount } from './cds/field-types.ts'
export {
  type CdsDetailVersion,
  type CdsListVersion,
  cdsDetailVersions,
  cdsListVersions,
} from './cds/mapping.ts'
export { listCdsCategories } from './cds/product-fields.ts'
export { findPublicationFaults } from './cds/publication-faults.ts'
export * from './cds/read-product.ts'
export { findRecordFaults } from './cds/record-faults.ts'
export * from './cds/write-product.ts'
export { countCharacters } from './characters.ts'
export {
  downgradeAccount,
  findPathBeforeUpgrade,
  upgradeAccount,
} from './convert-account-version.ts'
export { detectAccountVersion } from './detect-account-version.ts'
export * from './errors.ts'
export { examples } from './examples/index.ts'
export * from './limits.ts'
export * from './lines.ts'
export { buildOpenApiDocument } from './openapi/document.ts'
export { type DocumentName, documentNames } from './openapi/document-names.ts'
export * from './operation.ts'
export * from './operations/index.ts'
export { AccountIds, ErrorBody } from './operations/shared-parameters.ts'
export * from './page-body.ts'
export { findPageRecords, Links, Meta } from './paging.ts'
export { findProblems, formatProblem, printable, unknownFieldReason } from './problems.ts'
export * from './records/access.ts'
export * from './records/actor.ts'
export { BankingAccount, BankingAccountV3 } from './records/banking-account.ts'
export * from './records/banking-history.ts'
export { DirectDebit, ScheduledPayment } from './records/banking-payments.ts'
export {
  CheckExchange,
  CheckHeader,
  CheckList,
  CheckOptions,
  CheckProgress,
  CheckReport,
  CheckResult,
  CheckRun,
  checkGroups,
  checkProfiles,
  ListedCheck,
} from './records/checks.ts'
export * from './records/consents.ts'
export { AccountContact } from './records/contact.ts'
export * from './records/corrections.ts'
export {
  Customer,
  CustomerMatch,
  CustomerSearch,
  ExampleBalance,
  ShareableAccount,
} from './records/customer.ts'
export * from './records/described-record.ts'
export { EnergyAccount, EnergyAccountDetail } from './records/energy-account.ts'
export { EnergyBillingTransaction, EnergyInvoice } from './records/energy-billing.ts'
export * from './records/explorer.ts'
export * from './records/index.ts'
export * from './records/intake.ts'
export * from './records/monitoring.ts'
export { Product, ProductChange, ProductInput, ProductRead } from './records/product.ts'
export * from './records/product-draft.ts'
export * from './records/product-summary.ts'
export * from './records/reports.ts'
export { Restriction } from './records/restriction.ts'
export * from './records/session.ts'
export {
  countNames,
  LastLoad,
  PlatformStatus,
  ServerStatus,
  StatusCounts,
  UnavailableCount,
} from './records/status.ts'
export * from './records/unpublished-product.ts'
export * from './records/usage.ts'
export * from './refusals.ts'
export type { Problem } from './rules.ts'
export { permits, type Scope, scopes } from './scopes.ts'
export * from './sign-in.ts'
export * from './unknown-fields.ts'
export * from './usage-definitions.ts'
