/** Data is shared while a consent is active. It ends once, when it is withdrawn or expires. */
export const consentStatuses = ['active', 'withdrawn', 'expired'] as const
export type ConsentStatus = (typeof consentStatuses)[number]
