import { openDeliveries } from '../../src/platform/consent/outbox/deliveries.ts'
import { openConsentStore, openSigningKeyStore } from '../../src/storage/open.ts'

/** Delivers the messages of a database until it is killed, by a clock that is ahead by a number of seconds. */
const [database = '', aheadSeconds = '0'] = process.argv.slice(2)
openDeliveries({
  store: await openConsentStore(database),
  signingKeys: await openSigningKeyStore(database),
  brandId: 'https://bank.example',
  clock: () => Temporal.Now.instant().add({ seconds: Number(aheadSeconds) }),
  timeoutMs: 600_000,
  onResult: () => {},
  onFailure: () => {},
  onError: (error) => process.stderr.write(`${error.stack}\n`),
})
// Until the process that started it ends.
process.stdin.resume()
