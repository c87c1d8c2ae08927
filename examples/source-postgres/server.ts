import { createProvider } from 'holdfast/server'
import pg from 'pg'
import { createSource } from './source.ts'

const [core = 'postgres://localhost/core', port = '8090', jwksUrl = ''] = process.argv.slice(2)

const pool = new pg.Pool({ connectionString: core, options: '-c default_transaction_read_only=on' })
pool.on('error', ({ message }) => console.error(`connection to the core database lost: ${message}`))

const provider = await createProvider({
  source: createSource(pool),
  guard: {
    subdomain: 'bank',
    providerUrl: `http://127.0.0.1:${port}`,
    jwksUrl,
    database: 'sqlite:source-postgres.db',
    // Only at the first start: with a new database, each token that was used before is accepted once more.
    create: process.argv.includes('--create'),
  },
  settings: { port: Number(port), timeZone: 'Australia/Sydney' },
})
console.log(`provider on ${await provider.listen()}`)

process.once('SIGTERM', () => void provider.close().then(() => pool.end()))
