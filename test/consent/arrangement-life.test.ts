import assert from 'node:assert/strict'
import { it, mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import type { ConsentStore } from '../../src/platform/consent/store.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { propertyRuns } from '../support/properties.ts'
import { until } from '../support/until.ts'
import {
  type Actors,
  openActors,
  openPlatformPair,
  type PlatformPair,
} from './arrangement-actors.ts'
import { type Intent, intents, isPossible, toAction } from './arrangement-intents.ts'
import { type Action, begin, type Outcome, type State } from './arrangement-model.ts'
import { apply, applyInOutage, race } from './arrangement-outcomes.ts'
import type { Failure } from './failing-database.ts'
import { nextCustomer, type TestCustomer } from './platform.ts'

/**
 * Every state that the answers so far allow. During an outage, and if two requests are sent at once, there are several,
 * until an answer or a look at the arrangements shows which it is.
 */
interface Model {
  states: State[]
}

interface Real {
  readonly pair: PlatformPair
  readonly actors: Actors
  readonly scheduler: fc.Scheduler
}

type Life = fc.AsyncCommand<Model, Real>

/** The action, if the people and programs can act so whatever the state is. */
function findAction({ states }: Model, intent: Intent): Action | undefined {
  const [first] = states
  const action = first && toAction(first, intent)
  return action && states.every((state) => isPossible(state, action)) ? action : undefined
}

/** Keeps the states that the answers allow, and fails without any. */
function keep(model: Model, states: readonly State[], describe: () => string): void {
  assert.ok(states.length > 0, `no state of the model allows ${describe()}`)
  model.states = [...new Map(states.map((state) => [JSON.stringify(state), state])).values()]
}

/** Compares the arrangements in the database with those of the model, through either process. */
async function look(model: Model, { pair, actors }: Real, process: number): Promise<void> {
  const { store } = pair.processes[process % 2] ?? assert.fail()
  const at = Temporal.Instant.fromEpochMilliseconds(Date.now())
  for (const [name, id] of actors.ids) {
    const found = await store.arrangements.find(id, at)
    const reason = found && (await store.arrangements.listChanges(id)).at(-1)?.reason
    const seen = found && {
      status: found.status,
      reason,
      accounts: found.accountIds.map((account) => Number(account.split('-')[1]) - 1).sort(),
    }
    const allowed = model.states.filter(({ arrangements }) => {
      const { [name]: expected } = arrangements
      const { status, accounts } = expected ?? {}
      const shown = expected && { status, reason: expected.reason, accounts }
      return JSON.stringify(shown) === JSON.stringify(seen)
    })
    keep(
      model,
      allowed,
      () => `${name}: ${JSON.stringify(seen)}\n${JSON.stringify(model.states, undefined, 1)}`,
    )
  }
}

/** One action through one of the processes. */
class Act implements Life {
  readonly intent: Intent
  readonly process: number

  constructor(intent: Intent, process: number) {
    this.intent = intent
    this.process = process
  }

  check = (model: Readonly<Model>) => findAction(model, this.intent) !== undefined

  async run(model: Model, real: Real): Promise<void> {
    const action = findAction(model, this.intent) ?? assert.fail()
    const outcome = await act(real, action, this.process)
    const results = model.states.map((state) => apply(state, action))
    const allowed = results.filter((result) => result.outcome === outcome)
    keep(
      model,
      allowed.map(({ state }) => state),
      () => describeResult(action, outcome, results),
    )
    await look(model, real, this.process + 1)
  }

  toString = () => `${this.intent.type} (${JSON.stringify(this.intent)}) in process ${this.process}`
}

/** One action during which the database of the process, or the provider, stops to respond. */
class ActInOutage implements Life {
  readonly intent: Intent
  readonly process: number
  readonly call: number
  readonly failure: Failure | 'provider'

  constructor(intent: Intent, process: number, call: number, failure: Failure | 'provider') {
    this.intent = intent
    this.process = process
    this.call = call
    this.failure = failure
  }

  check = (model: Readonly<Model>) =>
    findAction(model, this.intent) !== undefined && this.intent.type !== 'pass'

  async run(model: Model, real: Real): Promise<void> {
    const action = findAction(model, this.intent) ?? assert.fail()
    const { platform, processes } = real.pair
    const { database, store } = processes[this.process] ?? assert.fail()
    if (this.failure === 'provider') platform.setProviderAway(true)
    else database.failAt(this.call, this.failure)
    const outcome = await act(real, action, this.process).finally(() => {
      database.recover()
      platform.setProviderAway(false)
    })
    await until(() => respondsAgain(store))
    const results = model.states.flatMap((state) => applyInOutage(state, action))
    const allowed = results.filter((result) => result.outcome === outcome)
    keep(
      model,
      allowed.map(({ state }) => state),
      () => describeResult(action, outcome, results),
    )
    await look(model, real, this.process + 1)
  }

  toString = () =>
    `${this.intent.type} (${JSON.stringify(this.intent)}) in process ${this.process}, outage at call ${this.call}, ${this.failure}`
}

/** Two actions at once, one through each process, whose calls of the database come in any order. */
class Race implements Life {
  readonly intents: readonly [Intent, Intent]

  constructor(intents: readonly [Intent, Intent]) {
    this.intents = intents
  }

  #find(model: Readonly<Model>): readonly [Action, Action] | undefined {
    const [first, second] = this.intents.map((intent) => findAction(model, intent))
    if (!first || !second) return undefined
    const types = [first.type, second.type]
    const isExcluded =
      // Time passes for both.
      types.includes('pass') ||
      // Of two passcodes that are sent at once, it is unknown which one belongs to which page.
      types.every((type) => type === 'open' || type === 'stop') ||
      // A browser does one thing after another.
      (!types.includes('exchange') &&
        'flow' in first &&
        'flow' in second &&
        first.flow === second.flow)
    return isExcluded ? undefined : [first, second]
  }

  check = (model: Readonly<Model>) => this.#find(model) !== undefined

  async run(model: Model, real: Real): Promise<void> {
    const [first, second] = this.#find(model) ?? assert.fail()
    const { scheduler } = real
    real.pair.setGate(() => scheduler.schedule(Promise.resolve()))
    const both = Promise.all([act(real, first, 0), act(real, second, 1)])
    await release(scheduler, both).finally(() => real.pair.setGate(undefined))
    await scheduler.waitAll()
    const outcomes = await both
    const results = model.states.flatMap((state) => race(state, first, second))
    const allowed = results.filter(
      (result) => JSON.stringify(result.outcomes) === JSON.stringify(outcomes),
    )
    keep(
      model,
      allowed.map(({ state }) => state),
      () =>
        `${JSON.stringify([first, second])}: ${outcomes}\n${JSON.stringify(results, undefined, 1)}`,
    )
    await look(model, real, 0)
  }

  toString = () => `at once: ${JSON.stringify(this.intents)}`
}

/** Turns of the event loop before a call of a store goes on. */
const turnsPerCall = 5

/**
 * Lets one call of a store go on after another until the work is done. The scheduler's own loop misses calls that come from
 * sockets.
 */
async function release(scheduler: fc.Scheduler, work: Promise<unknown>): Promise<void> {
  let isDone = false
  const end = () => {
    isDone = true
  }
  work.then(end, end)
  while (!isDone) {
    // Long enough for the other request to wait too.
    for (let turn = 0; turn < turnsPerCall; turn += 1) await setImmediate()
    if (scheduler.count() > 0) await scheduler.waitOne()
  }
}

/** Whether no connection of the store is one that the outage broke. */
async function respondsAgain({ arrangements }: ConsentStore): Promise<boolean> {
  const at = Temporal.Instant.fromEpochMilliseconds(Date.now())
  const calls = Array.from({ length: 20 }, () => arrangements.find('none', at))
  const results = await Promise.allSettled(calls)
  return results.every(({ status }) => status === 'fulfilled')
}

function describeResult(action: Action, outcome: Outcome, results: readonly object[]): string {
  return `${JSON.stringify(action)}: ${outcome}\n${JSON.stringify(results, undefined, 1)}`
}

async function act({ pair, actors }: Real, action: Action, process: number): Promise<Outcome> {
  if (action.type !== 'pass')
    return actors.perform(action, pair.processes[process] ?? assert.fail())
  mock.timers.tick(action.seconds * 1000)
  return 'passed'
}

const process = fc.nat(1)
const failures = fc.constantFrom('not made', 'answer lost', 'provider')

const lives = fc.commands(
  [
    ...Array.from({ length: 7 }, () =>
      fc.tuple(intents, process).map(([intent, at]) => new Act(intent, at)),
    ),
    fc
      .tuple(intents, process, fc.integer({ min: 1, max: 12 }), failures)
      .map(([intent, at, call, failure]) => new ActInOutage(intent, at, call, failure)),
    fc.tuple(intents, intents).map((both) => new Race(both)),
  ],
  { maxCommands: 40, size: 'max' },
)

const pairOnEachEngine = shareOnEachEngine(openPlatformPair)
const customersOnEachEngine = shareOnEachEngine(async () => Array.from({ length: 4 }, nextCustomer))
const dayMs = 86_400_000

describe('the life of arrangements', () => {
  it('is as the model says, whatever happens in whatever order', async (t) => {
    t.after(() => mock.timers.reset())
    mock.timers.enable({ apis: ['Date'], now: new Date('2026-07-01T00:00:00Z') })
    const pair = await pairOnEachEngine()
    const customers = await customersOnEachEngine()
    let lived = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('plain', 'cds'),
        fc.scheduler(),
        fc.noBias(lives),
        async (profile, scheduler, commands) => {
          // Limits of passcodes are refilled.
          mock.timers.tick(2 * dayMs)
          lived += 1
          const customer = customers[lived % customers.length] as TestCustomer
          const actors = await openActors(pair, profile, customer)
          await fc.asyncModelRun(
            () => ({ model: { states: [begin(profile)] }, real: { pair, actors, scheduler } }),
            commands,
          )
        },
      ),
      propertyRuns(10),
    )
  })
})
