import { publicKey, session, tokenForm, tokenRequest, tokenResponse } from './access.ts'
import {
  bankingAccount,
  bankingAccountV3,
  bankingBalance,
  bankingTransaction,
  directDebit,
  scheduledPayment,
} from './banking.ts'
import { consent, consentDetail } from './consents.ts'
import {
  accountContact,
  customer,
  customerMatch,
  exampleBalance,
  shareableAccount,
} from './customers.ts'
import { energyAccount, energyInvoice, energyPayment, energyUsage } from './energy.ts'
import {
  batchConflictBody,
  batchSummary,
  feedState,
  invalidLine,
  invalidLinesBody,
} from './intake.ts'
import {
  metricsSample,
  rejection,
  rejectionCount,
  rejectionList,
  rejectionMatches,
} from './monitoring.ts'
import {
  personalLoanProduct,
  productChange,
  productDraft,
  productDraftSummary,
  productSummary,
  readProduct,
  savingsProduct,
} from './product.ts'

const { users: _users, complexAccountType: _type, ...energyAccountDetail } = energyAccount

/** Complete records by the name of their schema. The documentation shows the first of each. */
export const examples: Readonly<Record<string, readonly unknown[]>> = {
  AccountContact: [accountContact],
  AccountIds: [{ data: { accountIds: ['acc-4711', 'acc-4712'] } }],
  BankingAccount: [bankingAccount],
  BankingAccountV3: [bankingAccountV3],
  BankingBalance: [bankingBalance],
  BankingTransaction: [bankingTransaction],
  BatchConflictBody: [batchConflictBody],
  BatchSummary: [batchSummary],
  Consent: [consent],
  ConsentChange: [consentDetail.changes[1]],
  ConsentDetail: [consentDetail],
  ConsentList: [{ data: [consent], next: 'MTc1MTM2MjIwMDAwMCA0YjRlMWQ2Yw' }],
  ConsentThirdParty: [consent.thirdParty],
  Customer: [customer],
  CustomerMatch: [customerMatch],
  CustomerSearch: [{ email: 'ana.silva@example.com' }],
  DirectDebit: [directDebit],
  EnergyAccount: [energyAccount],
  EnergyAccountDetail: [energyAccountDetail],
  EnergyBillingTransaction: [energyUsage, energyPayment],
  EnergyInvoice: [energyInvoice],
  ExampleBalance: [exampleBalance],
  FeedActivity: metricsSample.feeds,
  FeedState: [feedState],
  InvalidLine: [invalidLine],
  InvalidLinesBody: [invalidLinesBody],
  LatencyPercentiles: [metricsSample.latency],
  Links: [
    {
      first: 'page=1&page-size=1',
      last: 'page=3&page-size=1',
      next: 'page=2&page-size=1',
    },
  ],
  Meta: [{ totalRecords: 3, totalPages: 3 }],
  MetricsSample: [metricsSample],
  MetricsSource: metricsSample.sources,
  Product: [{ product_id: 'prod-1', ...savingsProduct }],
  ProductChange: [productChange],
  ProductDraft: [productDraft],
  ProductDraftSummary: [productDraftSummary],
  ProductInput: [savingsProduct, personalLoanProduct],
  ProductRead: [readProduct],
  ProductSummary: [productSummary],
  PublicKey: [publicKey],
  Rejection: [rejection],
  RejectionCount: [rejectionCount],
  RejectionList: [rejectionList],
  RejectionMatches: [rejectionMatches],
  RejectionRate: metricsSample.rejections,
  RoleRequests: metricsSample.roles,
  ScheduledPayment: [scheduledPayment],
  Session: [session],
  SessionRequest: [tokenRequest],
  SessionState: [{ features: ['consent'], session }],
  ShareableAccount: [shareableAccount],
  TokenResponse: [tokenResponse],
  TokenForm: [tokenForm],
  TokenRequest: [tokenRequest],
}
