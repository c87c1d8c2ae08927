import type { CheckContext } from './context.ts'
import { authentication, type Check } from './definition.ts'
import { checkEach } from './outcome.ts'
import { findInputs } from './requests.ts'
import { expectRejected, findSample, type SampleRequest } from './sample-request.ts'
import type { Members } from './signing-key.ts'

/** A request of every operation, for data that exists. */
export async function findSamples(context: CheckContext): Promise<SampleRequest[]> {
  const samples: SampleRequest[] = []
  for (const operation of context.operations) {
    const [input] = await findInputs(context, operation)
    if (input) samples.push({ operation, input })
  }
  return samples
}

/** Runs a check on every operation. */
export function forEveryOperation(
  check: (context: CheckContext, sample: SampleRequest) => Promise<unknown>,
): Check['run'] {
  return async (context) =>
    checkEach(
      await findSamples(context),
      (sample) => check(context, sample),
      ({ operation: { ref } }) => ref,
    )
}

const subject = authentication(
  '2.3',
  'the sub claim and the iss claim both equal the data provider subdomain',
)

export const claimClauses = {
  aud: authentication(
    '2.4',
    'the aud claim equals the URI of the requested resource, excluding query parameters',
  ),
  exp: authentication('2.2', 'the exp claim has not passed'),
  iss: subject,
  jti: authentication('2.5', 'the jti claim is unique (a repeated jti is not acceptable)'),
  sub: subject,
}

/** A check that a token with other claims is rejected: the claim that its id begins with is wrong or missing. */
export function badTokenCheck(
  id: string,
  title: string,
  claims: Members | ((resource: string, subdomain: string) => Members),
  profile?: Check['profile'],
): Check {
  const subject = title.replace(/ is rejected$/, '').replace(/^A/, 'a')
  return {
    id: `tokens.${id}`,
    title,
    clause: claimClauses[id.slice(0, 3) as keyof typeof claimClauses],
    profile,
    run: async (context) => {
      const sample = await findSample(context)
      const resource = context.resource(sample.operation, sample.input.params)
      const changed =
        typeof claims === 'function' ? claims(resource, context.options.subdomain) : claims
      const compared = describeClaim(id.slice(0, 3), changed, context.options.subdomain, resource)
      const { status } = await expectRejected(
        context,
        `${subject}${compared}`,
        { claims: changed },
        sample,
      )
      return { seen: `rejected with ${status}` }
    },
  }
}

/** What a provider should have compared: ` (iss "other", expected "bank")`. Empty for claims that have no one value. */
function describeClaim(name: string, claims: Members, subdomain: string, resource: string): string {
  if (!/^(iss|sub|aud)$/.test(name)) return ''
  const expected = name === 'aud' ? resource : subdomain
  const given = name in claims ? claims[name] : expected
  const value = given === undefined ? 'missing' : JSON.stringify(given)
  return ` (${name} ${value}, expected ${JSON.stringify(expected)})`
}

/** The current time as in `exp` and `iat`. */
export const epochSeconds = () => Math.floor(Date.now() / 1000)
