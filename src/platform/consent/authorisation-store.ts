/** The consents of all customers, for statistics. */
export interface AuthorisationStore {
  countActive(now: Temporal.Instant): Promise<ActiveAuthorisations>
  countDay(day: {
    readonly from: Temporal.Instant
    readonly until: Temporal.Instant
  }): Promise<AuthorisationDay>
}

interface ActiveAuthorisations {
  /** Those of a sharing with a duration. */
  readonly ongoing: number
  readonly customers: number
  readonly recipients: number
}

/** What happened in a day. */
export interface AuthorisationDay {
  /** Consents that customers gave, without amendments. */
  readonly newOnce: number
  readonly newOngoing: number
  /** Consents that ended before their time. */
  readonly revoked: number
  readonly amended: number
  /** Those of a sharing with a duration. */
  readonly expired: number
}
