import { setTimeout as wait } from 'node:timers/promises'
import { openPasscodeService } from '../test/consent/passcode-service.ts'
import { send } from '../test/support/http.ts'
import { compareRecords, openPlatformRecords, openReceivedAnswers } from './answer-records.ts'
import { addApiClient } from './api-client.ts'
import { openCatalogue, runCatalogue } from './catalogue-writers.ts'
import type { ConsentCustomer } from './consent-customers.ts'
import { runConsents } from './consent-flows.ts'
import type { Consents } from './consent-model.ts'
import type { SoakContext } from './context.ts'
import { killAtRandom } from './killable-server.ts'
import type { Part } from './part.ts'
import { openPlatformPair } from './platform-pair.ts'
import { registerThirdParty } from './third-party.ts'

/** A passcode is lost if its platform is killed before it is delivered. */
const passcodeMaxMs = 10_000
const pollMs = 10

/** Writers of products, customers and a third party use two platforms that are killed. */
export async function openPlatforms(
  context: SoakContext,
  database: string,
  customers: readonly ConsentCustomer[],
): Promise<Part> {
  const { tally } = context
  const answers = openReceivedAnswers()
  const closings: (() => Promise<void>)[] = []
  const scope = { after: (close: () => Promise<void>) => void closings.unshift(close) }
  const { posted, url } = await openPasscodeService(scope)
  const pair = await openPlatformPair(database, url)
  scope.after(pair.close)
  const addClient = (name: string, scopes: string) =>
    addApiClient(pair.pickPort, database, name, scopes)
  const catalogue = openCatalogue(context, pair, await addClient('pricing team', 'products.write'))
  const getToken = await addClient('call centre', 'consent.read,consent.write')
  const consents: Consents = {
    tally,
    pair,
    thirdParty: await registerThirdParty(scope, database, pair, answers),
    async askOperator(name, method, path) {
      const headers = { authorization: `Bearer ${await getToken()}` }
      return pair.ask(name, (port) => send(port, path, { method, headers }))
    },
    passcodeCount: () => posted.length,
    async receivePasscode({ phoneNumber }, from) {
      const start = performance.now()
      while (performance.now() - start < passcodeMaxMs) {
        const sent = posted.slice(from).find(({ body }) => body.phoneNumber === phoneNumber)
        if (sent) return sent.body.passcode
        await wait(pollMs)
      }
      return undefined
    },
  }
  return {
    name: 'platforms',
    async run() {
      let isKilled = false
      const killing = killAtRandom(context, pair.platforms, 'kills of a platform').then(() => {
        isKilled = true
      })
      const isOver = () => isKilled && context.isTimeUp()
      await Promise.all([
        killing,
        runCatalogue(catalogue, isOver),
        runConsents(consents, customers, isOver),
      ])
      await compareRecords(tally, 'platform', answers, openPlatformRecords, database)
    },
    errors: pair.errors,
    async close() {
      for (const close of closings) await close()
    },
  }
}
