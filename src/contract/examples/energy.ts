import type { EnergyAccount } from '../records/energy-account.ts'
import type { EnergyBillingTransaction, EnergyInvoice } from '../records/energy-billing.ts'

export const energyAccount: EnergyAccount = {
  accountId: 'en-88',
  accountNumber: '600188',
  displayName: 'Home electricity',
  openStatus: 'OPEN',
  creationDate: '2021-06-01T00:00:00+10:00',
  complexAccountType: 'INDIVIDUAL',
  users: [{ id: 'u-1', email: 'ana.silva@example.com', isAccountHolder: true }],
  plans: [
    {
      nickname: 'Home',
      servicePointIds: ['6203456789', 6203456790],
      planOverview: { displayName: 'Steady Saver', startDate: '2024-07-01' },
      planDetail: {
        fuelType: 'ELECTRICITY',
        isContingentPlan: false,
        meteringCharges: [
          {
            displayName: 'Metering',
            description: 'Smart meter reading',
            minimumValue: '0.20',
            period: 'P1D',
          },
        ],
        electricityContract: {
          additionalFeeInformation: 'Fees include GST',
          pricingModel: 'SINGLE_RATE',
          timeZone: 'LOCAL',
          isFixed: false,
          variation: 'Prices change each July',
          onExpiryDescription: 'Continues at the prices of the standing offer',
          paymentOption: ['PAPER_BILL', 'CREDIT_CARD', 'DIRECT_DEBIT', 'BPAY'],
          intrinsicGreenPower: { greenPercentage: 0.1 },
          controlledLoad: [
            {
              displayName: 'Hot water',
              rateBlockUType: 'singleRate',
              startDate: '2024-07-01',
              singleRate: {
                displayName: 'Overnight',
                description: 'Heats between eleven and seven',
                dailySupplyCharge: '0.05',
                rates: [{ unitPrice: '0.18', measureUnit: 'KWH' }],
              },
            },
          ],
          incentives: [
            {
              displayName: 'Welcome credit',
              description: 'Credited to the first bill',
              category: 'ACCOUNT_CREDIT',
              eligibility: 'New customers',
            },
          ],
          discounts: [
            {
              displayName: 'On time',
              description: 'Paid by the due date',
              type: 'CONDITIONAL',
              category: 'PAY_ON_TIME',
              endDate: '2026-06-30',
              methodUType: 'percentOfBill',
              percentOfBill: { rate: 0.05 },
            },
          ],
          eligibility: [
            { type: 'NEW_CUSTOMER', information: 'Once', description: 'New to the retailer' },
          ],
          fees: [
            {
              type: 'LATE_PAYMENT',
              term: 'PERCENT_OF_BILL',
              rate: 0.02,
              description: 'After fourteen days',
            },
          ],
          solarFeedInTariff: [
            {
              displayName: 'Feed in',
              description: 'For exported solar energy',
              startDate: '2024-07-01',
              scheme: 'PREMIUM',
              payerType: 'RETAILER',
              tariffUType: 'singleTariff',
              singleTariff: { rates: [{ unitPrice: '0.06', measureUnit: 'KWH' }] },
            },
          ],
          tariffPeriod: [
            {
              type: 'RETAIL_SERVICE',
              displayName: 'All year',
              startDate: '07-01',
              dailySupplyCharges: '1.02',
              timeZone: 'LOCAL',
              rateBlockUType: 'singleRate',
              singleRate: {
                displayName: 'Anytime',
                description: 'One price all day',
                generalUnitPrice: '0.29',
                rates: [{ unitPrice: '0.29', measureUnit: 'KWH' }],
              },
            },
            {
              type: 'NETWORK',
              displayName: 'Network, all year',
              startDate: '07-01',
              dailySupplyChargeType: 'BAND',
              bandedDailySupplyCharges: [
                { unitPrice: '0.31', measureUnit: 'DAYS', volume: 30 },
                { unitPrice: '0.27', measureUnit: 'DAYS' },
              ],
              rateBlockUType: 'singleRate',
              singleRate: { displayName: 'Network use', rates: [{ unitPrice: '0.04' }] },
            },
          ],
        },
      },
      authorisedContacts: [{ firstName: 'Ana', lastName: 'Silva', prefix: 'Ms' }],
    },
  ],
}

export const energyInvoice: EnergyInvoice = {
  accountId: 'en-88',
  invoiceNumber: 'INV-2025-03',
  issueDate: '2025-04-02',
  dueDate: '2025-04-16',
  period: { startDate: '2025-03-01', endDate: '2025-03-31' },
  invoiceAmount: '143.20',
  gstAmount: '13.02',
  payOnTimeDiscount: { gstAmount: '0.65', discountAmount: '7.16', date: '2025-04-16' },
  balanceAtIssue: '143.20',
  servicePoints: ['6203456789'],
  electricity: {
    totalGst: '12.72',
    totalGenerationCredits: '0.00',
    totalOnceOffCharges: '0.00',
    totalOnceOffDiscounts: '0.00',
    totalUsageCharges: '111.60',
    otherCharges: [{ type: 'METERING', amount: '15.58', description: 'Smart meter' }],
  },
  accountCharges: { totalCharges: '3.00', totalDiscounts: '0.00', totalGst: '0.30' },
  paymentStatus: 'NOT_PAID',
}

export const energyUsage: EnergyBillingTransaction = {
  accountId: 'en-88',
  transactionUType: 'usage',
  executionDateTime: '2025-04-01T00:30:00',
  gst: '0.81',
  usage: {
    amount: '8.12',
    adjustments: [{ amount: '-0.10', description: 'Meter correction' }],
    isEstimate: false,
    startDate: '2025-03-30',
    endDate: '2025-03-31',
    usage: 28,
    servicePointId: '6203456789',
    invoiceNumber: 'INV-2025-03',
    description: 'General usage',
    measureUnit: 'KWH',
    calculationFactors: [{ type: 'DLF', value: 1.0457 }],
    timeOfUseType: 'ALL_DAY',
  },
}

export const energyPayment: EnergyBillingTransaction = {
  accountId: 'en-88',
  transactionUType: 'payment',
  executionDateTime: '2025-04-10T11:00:00',
  payment: { amount: '143.20', method: 'DIRECT_DEBIT' },
}
