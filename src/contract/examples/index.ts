import * as access from './access.ts'
import * as banking from './banking.ts'
import { checkReport, listedCheck } from './checks.ts'
import * as consents from './consents.ts'
import { accountContact, customer, restrictions } from './customers.ts'
import * as energy from './energy.ts'
import { explorerCall, explorerResult } from './explorer.ts'
import * as intake from './intake.ts'
import * as monitoring from './monitoring.ts'
import * as products from './product.ts'
import { platformStatus } from './status.ts'

const { users: _users, complexAccountType: _type, ...energyAccountDetail } = energy.energyAccount
const { accountId, productName, productCategory, displayName } = banking.bankingAccount
const { currentBalance, availableBalance } = banking.bankingBalance
const { id, name, email, phoneNumber } = customer

/** Complete bodies and records by the name of their schema. The documentation shows the first of each. */
export const examples: Readonly<Record<string, readonly unknown[]>> = {
  AccountContact: [accountContact],
  AccountIds: [{ data: { accountIds: ['acc-4711', 'acc-4712'] } }],
  BankingAccount: [banking.bankingAccount],
  BankingAccountV3: [banking.bankingAccountV3],
  BankingBalance: [banking.bankingBalance],
  BankingTransaction: [banking.bankingTransaction],
  BatchConflictBody: [intake.batchConflictBody],
  BatchResult: [intake.batchResult],
  CheckOptions: [{ profile: 'smoke', groups: ['paging'] }],
  CheckRun: [{ ...listedCheck, report: checkReport }],
  CheckRunningBody: [{ error: 'A check is already running', checkId: listedCheck.checkId }],
  ConsentDetail: [consents.consentDetail],
  ConsentFlowList: [{ data: [consents.consentFlow] }],
  ConsentList: [{ data: [consents.consent], next: 'MTc1MTM2MjIwMDAwMCA0YjRlMWQ2Yw' }],
  CorrectionNoticeList: [{ data: [consents.correctionNotice], next: 'MTc1NzQ3ODAwMDAwMCA3' }],
  Customer: [customer],
  CustomerMatch: [{ id, name, phoneNumber }],
  CustomerSearch: [{ email }],
  DescribedRecordList: [{ data: [consents.describedRecord] }],
  DirectDebit: [banking.directDebit],
  EnergyAccount: [energy.energyAccount],
  EnergyAccountDetail: [energyAccountDetail],
  EnergyBillingTransaction: [energy.energyUsage, energy.energyPayment],
  EnergyInvoice: [energy.energyInvoice],
  ExampleBalance: [
    {
      account_id: accountId,
      available: Number(availableBalance),
      current: Number(currentBalance),
      currency: 'AUD',
    },
  ],
  ExplorerCall: [explorerCall],
  ExplorerResult: [explorerResult],
  FeedState: [intake.feedState],
  InvalidLinesBody: [intake.invalidLinesBody],
  Links: [
    {
      first: 'page=1&page-size=1',
      last: 'page=3&page-size=1',
      next: 'page=2&page-size=1',
    },
  ],
  ListedCheck: [listedCheck],
  ListedDraft: [products.listedDraft],
  Meta: [{ totalRecords: 3, totalPages: 3 }],
  MetricsSample: [monitoring.metricsSample],
  PlatformStatus: [platformStatus],
  Product: [{ product_id: 'prod-1', ...products.savingsProduct }],
  ProductChange: [products.productChange],
  ProductDraft: [products.productDraft],
  ProductInput: [products.savingsProduct, products.personalLoanProduct],
  ProductRead: [products.readProduct],
  ProductSummary: [products.productSummary],
  PublicKey: [access.publicKey],
  RejectionList: [monitoring.rejectionList],
  RejectionMatches: [monitoring.rejectionMatches],
  ReportState: [consents.reportState],
  Restriction: restrictions,
  ScheduledPayment: [banking.scheduledPayment],
  Session: [access.session],
  SessionList: [{ data: [access.listedSession], total: 1 }],
  SessionRequest: [access.tokenRequest],
  SessionState: [
    {
      features: ['consent'],
      time_zone: 'Australia/Sydney',
      provider_name: 'Demo Bank',
      identity_provider: { host: 'login.bank.example', claim: 'groups', is_reachable: true },
      session: access.session,
    },
  ],
  SignInRequest: [{ return_to: '/console/catalogue' }],
  SignInStart: [{ authorization_url: 'https://login.bank.example/authorize?client_id=holdfast' }],
  SignOut: [{ sign_out_url: 'https://login.bank.example/logout?client_id=holdfast' }],
  ShareableAccount: [{ id: accountId, name: productName, type: productCategory, displayName }],
  TokenForm: [access.tokenForm],
  TokenRequest: [access.tokenRequest],
  TokenResponse: [access.tokenResponse],
  UsageHistory: [monitoring.usageHistory],
  UnpublishedProduct: [products.unpublishedProduct],
}
