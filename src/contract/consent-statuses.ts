/** Data is shared while a consent is active. It ends once, when it is withdrawn or expires. */
export const consentStatuses = ['active', 'withdrawn', 'expired'] as const
export type ConsentStatus = (typeof consentStatuses)[number]

/** Why the status of a consent changed. */
export const changeReasons = [
  'customer',
  'operator',
  'third_party',
  'third_party_removed',
  'code_replayed',
  'amended',
  'sharing_ended',
] as const
export type ChangeReason = (typeof changeReasons)[number]

/**
 * Whether the platform informs the third party that a consent ended for this reason. Not if the third party ended it or
 * knows its end, if the third party was removed, or if an amendment moved the consent into another arrangement.
 */
export const informsThirdParty: Readonly<Record<ChangeReason, boolean>> = {
  customer: true,
  operator: true,
  third_party: false,
  third_party_removed: false,
  code_replayed: true,
  amended: false,
  sharing_ended: false,
}
