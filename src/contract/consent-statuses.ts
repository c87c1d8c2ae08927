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
