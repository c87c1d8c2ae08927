import type { ChangeReason, ConsentStatus } from '../../contract/consent-statuses.ts'
import type { Actor } from '../../contract/index.ts'
import type { CorrectionStore } from '../../disclosures/correction.ts'
import type { DisclosureRecordStore } from '../../disclosures/store.ts'
import type { AccountChange } from './account-changes.ts'
import type { AuthorisationStore } from './authorisation-store.ts'
import type { FlowStore } from './flow-store.ts'
import type { OutboxStore } from './outbox/store.ts'

/** A registered third party. Its metadata is public, except for its customers' arrangements. */
export interface ThirdParty {
  readonly id: string
  readonly name: string
  readonly profile: Profile
  readonly redirectUris: readonly string[]
  readonly scopes: readonly string[]
  /** Its public keys: a JSON Web Key Set, or the URL of one. */
  readonly keys: { readonly jwks: KeySet } | { readonly jwksUrl: string }
  /** Where it is informed of the end of a consent. Without it, it is not. */
  readonly recipientBaseUri?: string | undefined
  readonly created: Temporal.Instant
}

/** `cds` is the Australian profile (FAPI 1.0 Advanced with JARM); `plain` is FAPI 2.0. */
export const profiles = ['plain', 'cds'] as const
export type Profile = (typeof profiles)[number]

export interface KeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

export interface ThirdPartyStore {
  /** Oldest first. */
  list(): Promise<readonly ThirdParty[]>
  find(id: string): Promise<ThirdParty | undefined>
  add(thirdParty: ThirdParty): Promise<void>
  /**
   * Ends its tokens at once, then withdraws its arrangements and cancels its messages, `withdrawnMax` in each transaction. May
   * be repeated if it was interrupted. False if there was neither the third party nor an active arrangement of it.
   */
  remove(id: string, now: Temporal.Instant): Promise<boolean>
}

/** Something with an expiry that the OpenID provider or a page stores: a token, a code, the state of a consent flow. */
export interface Artifact {
  /** JSON text. */
  readonly payload: string
  /** The arrangement that it depends on. */
  readonly grantId?: string | undefined
  /** A second key. */
  readonly uid?: string | undefined
  readonly expires: Temporal.Instant
}

interface StoredArtifact {
  readonly payload: string
  readonly consumed?: Temporal.Instant
}

/**
 * Artifacts by model and key. An expired one is never returned, and neither is one that depends on an arrangement which is
 * not active or whose third party was removed: in every process, a withdrawal takes effect with its commit. Each addition
 * purges some expired artifacts of any model, so that the table is bounded. The store keeps what it is given: callers pass
 * digests of secrets as keys and no secret in a payload, so that a reader of the database cannot use an artifact.
 */
export interface ArtifactStore {
  /** Adds or replaces. The replacement of a consumed artifact stays consumed. */
  put(model: string, key: string, artifact: Artifact, now: Temporal.Instant): Promise<void>
  /** Of many concurrent calls with the same key exactly one returns true, until the artifact expires. */
  add(model: string, key: string, artifact: Artifact, now: Temporal.Instant): Promise<boolean>
  find(model: string, key: string, now: Temporal.Instant): Promise<StoredArtifact | undefined>
  findByUid(model: string, uid: string, now: Temporal.Instant): Promise<StoredArtifact | undefined>
  /** Keeps the expiry. Of many concurrent calls exactly one returns true. */
  consume(model: string, key: string, now: Temporal.Instant): Promise<boolean>
  /** Undoes the consumption of that time, if there was one. */
  release(model: string, key: string, consumed: Temporal.Instant): Promise<void>
  /** Of many concurrent calls exactly one returns true. */
  remove(model: string, key: string): Promise<boolean>
  /** Removes every artifact of the arrangement except those of the model `kept`. */
  removeByGrant(grantId: string, kept: string): Promise<void>
}

/** What a customer agreed to share with a third party, and until when. */
export interface Arrangement {
  /** Also the `cdr_arrangement_id` of the CDS, and the id of the grant. */
  readonly id: string
  readonly thirdPartyId: string
  readonly customerId: string
  readonly accountIds: readonly string[]
  readonly scopes: readonly string[]
  readonly from: Temporal.Instant
  readonly until: Temporal.Instant
}

export interface StoredArrangement extends Arrangement {
  readonly status: ConsentStatus
  /** When the last change was recorded. */
  readonly updated: Temporal.Instant
  /** The arrangement whose earlier terms these are, until it was amended. */
  readonly versionOf?: string
}

export interface ArrangementChange {
  readonly time: Temporal.Instant
  readonly status: ConsentStatus
  readonly reason: ChangeReason
  /** Who withdrew it for the data provider. */
  readonly by?: Actor
}

export interface ArrangementQuery {
  readonly customerId?: string | undefined
  readonly thirdPartyId?: string | undefined
  readonly status?: ConsentStatus | undefined
  /** Only those that are no longer active. */
  readonly isEnded?: boolean | undefined
  /** Without the earlier terms of those that were amended. */
  readonly isPresent?: boolean | undefined
  /** Only those whose last change was recorded later. */
  readonly updatedAfter?: Temporal.Instant | undefined
  /** The one whose last change was recorded last comes first. */
  readonly isNewestFirst?: boolean | undefined
  /** The last one of the previous page. */
  readonly after?: Pick<StoredArrangement, 'id' | 'updated'> | undefined
  readonly limit: number
}

/** How many earlier versions of an arrangement are read: the last ones. */
export const versionsMax = 50

/** That an arrangement has expired is recorded when it is found or listed, or when another one is added. */
export interface ArrangementStore {
  /**
   * Adds an active arrangement, and a receipt unless it will amend another one. Does nothing if the id exists, so that a lost
   * answer can be repeated.
   */
  add(arrangement: Arrangement, options?: { readonly isAmendment?: boolean }): Promise<void>
  find(id: string, now: Temporal.Instant): Promise<StoredArrangement | undefined>
  /** Oldest first. */
  listChanges(id: string): Promise<readonly ArrangementChange[]>
  /** What was agreed before each amendment, oldest first. The amendment was at `updated`. */
  listVersions(id: string): Promise<readonly StoredArrangement[]>
  /** The changes of the states of accounts, oldest first. */
  listAccountChanges(id: string): Promise<readonly AccountChange[]>
  /** Records the observations that change the state of an account, if the arrangement is active. */
  recordAccounts(
    id: string,
    observed: readonly AccountChange[],
    now: Temporal.Instant,
  ): Promise<void>
  /** In order of `updated`, then `id`. */
  list(query: ArrangementQuery, now: Temporal.Instant): Promise<readonly StoredArrangement[]>
  /** How many are active, up to `max`. */
  countActive(max: number, now: Temporal.Instant): Promise<number>
  /** Ends the arrangement and its tokens, and adds a message to its third party, in one transaction. False if it is not active. */
  withdraw(id: string, reason: ChangeReason, now: Temporal.Instant, by?: Actor): Promise<boolean>
  /**
   * Gives an arrangement what was agreed in another one of the same customer and third party, and the tokens of that. The
   * other one keeps, as evidence, what was agreed before, and is withdrawn. False if one of them is not active.
   */
  amend(id: string, agreedId: string, now: Temporal.Instant): Promise<boolean>
}

/** When data of a scope was first and last disclosed under an arrangement. It is noted with the records of disclosures. */
export interface Disclosure {
  readonly scope: string
  readonly first: Temporal.Instant
  readonly last: Temporal.Instant
}

export interface DisclosureStore {
  list(arrangementId: string): Promise<readonly Disclosure[]>
  /** The last one of each of these arrangements, by the ID of the arrangement. */
  listLast(arrangementIds: readonly string[]): Promise<ReadonlyMap<string, Disclosure>>
}

/** A customer that a passcode was sent to, with a one-way hash of it. Others have a hash that no passcode has. */
export interface PasscodeCandidate {
  readonly customerId: string
  readonly hash: string
}

interface PasscodeChallenge {
  readonly candidates: readonly PasscodeCandidate[]
  readonly expires: Temporal.Instant
}

export interface PasscodeStore {
  /** Replaces the challenge with this key, unless that was issued after `resendBefore`. */
  issue(
    key: string,
    challenge: PasscodeChallenge,
    now: Temporal.Instant,
    resendBefore: Temporal.Instant,
  ): Promise<boolean>
  /**
   * Counts a try before its passcode is compared. Undefined if the challenge has no try left, is used, expired or
   * unknown. `triesLeft` is the number of further tries.
   */
  takeTry(
    key: string,
    triesMax: number,
    now: Temporal.Instant,
  ): Promise<(PasscodeChallenge & { readonly triesLeft: number }) | undefined>
  /** Whether there is a challenge with this key that was issued after the time. */
  isIssuedAfter(key: string, time: Temporal.Instant): Promise<boolean>
  /** Exactly one of many concurrent calls returns true. */
  use(key: string): Promise<boolean>
}

/** A token bucket that all processes share. */
export interface AttemptLimit {
  readonly capacity: number
  readonly refillMs: number
}

export interface AttemptLimitStore {
  /** False if the bucket of the key is empty. The number of stored buckets is bounded: full ones are purged. */
  take(key: string, limit: AttemptLimit, now: Temporal.Instant): Promise<boolean>
  /** Gives back what was taken. */
  refund(key: string, limit: AttemptLimit, now: Temporal.Instant): Promise<void>
}

/** A count until the end of a time window. Its end and its maximum depend on the key alone. */
export interface WindowCount {
  readonly key: string
  readonly max: number
  readonly ends: Temporal.Instant
}

export interface SessionStore {
  /**
   * Counts a call in its session, and the first one of a session also in the day. Returns which of the two is full, and
   * counts nothing then. The number of stored counts is bounded: those of the past are purged.
   */
  countCall(
    session: WindowCount,
    day: WindowCount,
    now: Temporal.Instant,
  ): Promise<'calls' | 'sessions' | undefined>
}

/** The secrets of the platform. Each is created once and shared by all processes. */
export const secretNames = ['cookies', 'subjects', 'limits', 'accounts', 'signIn'] as const
type SecretName = (typeof secretNames)[number]

export const secretBytes = 32

/** How many expired rows each addition purges at most: more than it adds, so that the tables shrink. */
export const purgeMax = 10

/** How many arrangements one transaction ends at most: more could exceed the timeout of a statement. */
export const withdrawnMax = 1000

/** How long an ended arrangement is kept as evidence. The Australian rules require six years. */
export const retentionDays = 7 * 366
export const retentionMs = retentionDays * 24 * 3_600_000

export interface ConsentStore {
  readonly thirdParties: ThirdPartyStore
  readonly artifacts: ArtifactStore
  readonly arrangements: ArrangementStore
  readonly authorisations: AuthorisationStore
  readonly disclosures: DisclosureStore
  readonly disclosureRecords: DisclosureRecordStore
  /** Of loads and feeds in the same database. */
  readonly corrections: CorrectionStore
  readonly passcodes: PasscodeStore
  readonly limits: AttemptLimitStore
  readonly flows: FlowStore
  readonly sessions: SessionStore
  readonly outbox: OutboxStore
  readSecret(name: SecretName): Promise<Buffer>
  /** The clock of the database server. A file has none: its processes run on one machine. */
  readTime?(): Promise<Temporal.Instant>
  close(): Promise<void>
}
