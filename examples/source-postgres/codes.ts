import type { BankingAccount, BankingTransaction } from 'holdfast/contract'

type Product = Required<Pick<BankingAccount, 'productCategory' | 'productName'>>

/** What the codes of the core system mean in the interface. */
const products = new Map<string, Product>([
  ['CHQ01', { productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS', productName: 'Everyday Account' }],
  ['SAV02', { productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS', productName: 'Bonus Saver' }],
  ['HLV01', { productCategory: 'RESIDENTIAL_MORTGAGES', productName: 'Variable Home Loan' }],
  ['CCL01', { productCategory: 'CRED_AND_CHRG_CARDS', productName: 'Low Rate Card' }],
])

const transactionTypes = new Map<string, NonNullable<BankingTransaction['type']>>([
  ['CRTR', 'TRANSFER_INCOMING'],
  ['EFTP', 'PAYMENT'],
  ['INTC', 'INTEREST_PAID'],
  ['INTD', 'INTEREST_CHARGED'],
  ['LOAN', 'TRANSFER_OUTGOING'],
])

const frequencies = new Map([
  ['W', 'P7D'],
  ['M', 'P1M'],
  ['Q', 'P3M'],
])

export const toProduct = (code: string) => translate(products, code)
export const toTransactionType = (code: string) => transactionTypes.get(code.trim()) ?? 'OTHER'
export const toInterval = (code: string) => translate(frequencies, code)

/** The codes of all products of a category. */
export function listProductCodes(category: string): string[] {
  return [...products]
    .filter(([, { productCategory }]) => productCategory === category)
    .map(([code]) => code)
}

function translate<Meaning>(meanings: ReadonlyMap<string, Meaning>, code: string): Meaning {
  const meaning = meanings.get(code.trim())
  if (meaning === undefined) throw new Error(`unknown code ${code}`)
  return meaning
}
