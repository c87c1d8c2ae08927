import type { Operation } from '../contract/index.ts'
import type { CheckContext, TokenChanges } from './context.ts'
import { accountsOf, customersOf } from './customers.ts'
import type { Check } from './definition.ts'
import { askFor } from './groups/errors.ts'
import { judgeEach, type Passed } from './outcome.ts'
import { expectRejected, type Probe, probeOf } from './probe.ts'

/** Every operation, asked for something that is there. */
export async function everyProbe(world: CheckContext): Promise<Probe[]> {
  const [email] = world.options.emails
  const probes: Probe[] = []
  for (const operation of world.operations) {
    const ask =
      operation.ref === 'C1'
        ? { body: { email: email ?? 'nobody@check.holdfast.invalid' } }
        : await knownAsk(world, operation)
    if (ask) probes.push({ operation, ask })
  }
  return probes
}

async function knownAsk(world: CheckContext, operation: Operation) {
  const wanted = operation.tag === 'energy' ? 'energy' : 'banking'
  for (const customerId of await customersOf(world)) {
    const accounts = await accountsOf(world, customerId)
    const account =
      accounts.find(({ kind }) => kind === wanted) ??
      (operation.tag === 'contact' ? accounts[0] : undefined)
    if (
      account ||
      !/accountId|\{id\}/.test(operation.path + JSON.stringify(operation.body ?? ''))
    ) {
      return askFor(operation, customerId, account?.id ?? '')
    }
  }
  return undefined
}

export async function everywhere(
  world: CheckContext,
  judge: (probe: Probe) => Promise<unknown>,
): Promise<Passed> {
  return judgeEach(await everyProbe(world), ({ operation: { ref } }) => ref, judge)
}

/** One kind of bad token, tried on one operation. */
export function badTokenCheck(
  id: string,
  title: string,
  clause: Check['clause'],
  what: string,
  changes: TokenChanges | ((resource: string, subdomain: string) => TokenChanges),
  profile: Check['profile'] = 'full',
): Check {
  return {
    id: `tokens.${id}`,
    title,
    clause,
    profile,
    run: async (world) => {
      const probe = await probeOf(world)
      const resource = world.resource(probe.operation, probe.ask.params)
      const made =
        typeof changes === 'function' ? changes(resource, world.options.subdomain) : changes
      const { status } = await expectRejected(world, what, made, probe)
      return { seen: `refused with ${status}` }
    },
  }
}

export const seconds = () => Math.floor(Date.now() / 1000)
export const claims = (members: TokenChanges['claims'] & object): TokenChanges => ({
  claims: members,
})

export interface Segments {
  readonly head: string
  readonly body: string
  readonly tail: string
}

export function segmentsOf(token: string): Segments {
  const [head = '', body = '', tail = ''] = token.split('.')
  return { head, body, tail }
}
