/** What the platform sends about a consent. */
export const messageKindDescriptions = {
  revocation: 'informs the third party that the consent ended early',
  receipt_given: 'confirms to the customer what they agreed to',
  receipt_amended: 'confirms to the customer that the terms have changed',
  receipt_ended: 'confirms to the customer that the consent ended',
} as const
export type MessageKind = keyof typeof messageKindDescriptions
export const messageKinds = Object.keys(messageKindDescriptions) as readonly MessageKind[]

/** What became of a message. */
export const messageStateDescriptions = {
  waiting: 'it is sent at `nextAttempt`',
  delivered: 'the receiver accepted it',
  given_up: 'it could not be delivered for seven days',
  cancelled:
    'nothing can be sent: the third party was removed, the customer has no phone number or no longer exists, or receipts are off',
} as const
export type MessageState = keyof typeof messageStateDescriptions
export const messageStates = Object.keys(messageStateDescriptions) as readonly MessageState[]

/** How many messages of each consent are listed. */
export const listedMessagesMax = 10
