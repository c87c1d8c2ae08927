/** The interface as data: every record, operation and error, and what is derived from them. */

export { normalizer } from './aliases.ts'
export { type EffectiveFilter, effectiveFilters, isEffective } from './cds/effective.ts'
export { toAmount } from './cds/field-types.ts'
export {
  type CdsDetailVersion,
  type CdsListVersion,
  cdsDetailVersions,
  cdsListVersions,
} from './cds/mapping.ts'
export { listCdsCategories } from './cds/product-fields.ts'
export { findPublicationFaults } from './cds/publication-faults.ts'
export { fromCdsProductDetail, type ReadProduct } from './cds/read-product.ts'
export {
  type CdsProduct,
  type PublishedProduct,
  toCdsListProduct,
  toCdsProductDetail,
} from './cds/write-product.ts'
export { countCharacters } from './characters.ts'
export {
  downgradeAccount,
  findPathBeforeUpgrade,
  upgradeAccount,
} from './convert-account-version.ts'
export { detectAccountVersion } from './detect-account-version.ts'
export {
  ContractError,
  type ErrorClause,
  type ErrorCode,
  errorClauses,
  errorTable,
  overloadClause,
} from './errors.ts'
export { examples } from './examples/index.ts'
export * from './limits.ts'
export {
  type DeleteLine,
  type Line,
  type LineSchema,
  lineSchemas,
  type MappedLines,
  type MapRow,
  type PutLine,
  type RowLocation,
} from './lines.ts'
export { buildOpenApiDocument } from './openapi/document.ts'
export { type DocumentName, documentNames } from './openapi/document-names.ts'
export {
  type AccountKind,
  type Base,
  type Deprecation,
  type Input,
  listErrors,
  locateAccounts,
  type Operation,
  type Output,
  type Protection,
} from './operation.ts'
export {
  accessOperations,
  catalogueOperations,
  checkOperations,
  consentOperations,
  explorerOperations,
  intakeOperations,
  monitoringOperations,
  type OperationId,
  type OperationOf,
  operations,
  platformOperations,
  providerOperations,
  statusOperations,
} from './operations/index.ts'
export { AccountIds, ErrorBody } from './operations/shared-parameters.ts'
export {
  buildPageBody,
  buildPageEnvelope,
  type JsonBody,
  type JsonStream,
  type JsonText,
  type LinkQuery,
  type PageRequest,
} from './page-body.ts'
export { findPageRecords, Links, Meta } from './paging.ts'
export { findProblems, formatProblem, printable, unknownFieldReason } from './problems.ts'
export { KeySet, TokenForm, TokenRequest, TokenResponse } from './records/access.ts'
export { BankingAccount, BankingAccountV3 } from './records/banking-account.ts'
export { BankingBalance, BankingTransaction } from './records/banking-history.ts'
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
export {
  Customer,
  CustomerMatch,
  CustomerSearch,
  ExampleBalance,
  ShareableAccount,
} from './records/consent.ts'
export {
  Consent,
  ConsentChange,
  ConsentDetail,
  ConsentFlow,
  ConsentFlowList,
  ConsentFlowStep,
  ConsentList,
  ConsentThirdParty,
} from './records/consents.ts'
export { AccountContact } from './records/contact.ts'
export { EnergyAccount, EnergyAccountDetail } from './records/energy-account.ts'
export { EnergyBillingTransaction, EnergyInvoice } from './records/energy-billing.ts'
export { ExplorerHeader, ExplorerResult } from './records/explorer.ts'
export { type RecordType, recordTypes } from './records/index.ts'
export {
  BatchConflictBody,
  BatchResult,
  FeedList,
  FeedState,
  InvalidLine,
  InvalidLinesBody,
} from './records/intake.ts'
export {
  FeedActivity,
  LatencyPercentiles,
  MetricsSample,
  MetricsSource,
  type MonitoredRole,
  monitoredRoles,
  Rejection,
  RejectionCount,
  RejectionList,
  RejectionMatches,
  RejectionRate,
  RoleRequests,
} from './records/monitoring.ts'
export { Product, ProductChange, ProductInput, ProductRead } from './records/product.ts'
export { ListedDraft, ProductDraft } from './records/product-draft.ts'
export { type ProductState, ProductSummary, productStates } from './records/product-summary.ts'
export { type Feature, features, Session, SessionRequest, SessionState } from './records/session.ts'
export {
  countNames,
  LastLoad,
  PlatformStatus,
  ServerStatus,
  StatusCounts,
  UnavailableCount,
} from './records/status.ts'
export { UnpublishedProduct } from './records/unpublished-product.ts'
export type { Problem } from './rules.ts'
export { permits, type Scope, scopes } from './scopes.ts'
export { type RemoveUnknownFields, unknownFieldRemover } from './unknown-fields.ts'
