/** What an attempt to deliver a message led to. */
export const deliveryResults = ['delivered', 'unknown', 'retried', 'gave_up'] as const
export type DeliveryResult = (typeof deliveryResults)[number]
