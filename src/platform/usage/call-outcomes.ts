import { infosecOperations } from './operations.ts'
import type { CallKind } from './store.ts'

/** The status that a call is counted with if the client closed the connection. */
export const clientClosed = 499

/** Over a limit of traffic. */
export const isRejected = ({ rejection }: Pick<CallKind, 'rejection'>): boolean => rejection !== ''

/** The server failed. */
export const isFailure = ({ status }: Pick<CallKind, 'status'>): boolean =>
  status >= 500 && status < 600

export const isClientError = ({ status }: Pick<CallKind, 'status'>): boolean =>
  status >= 400 && status < clientClosed

/** Each successful response of the token endpoint has an access token. */
export const isSession = ({ operation, status }: Pick<CallKind, 'operation' | 'status'>): boolean =>
  operation === infosecOperations.token.name && status === 200
