import { type Handler, orNotFound } from './handler.ts'

export const getAccountContact: Handler<'getAccountContact'> = async ({ params }, { store }) => {
  const contact = orNotFound(await store.readContact(params.customerId, params.accountId))
  return contact.status === 'RESTRICTED' ? '' : contact.record
}
