/** How the further addresses of a customer are stored. Undefined if there are none. */
export function toEmailsText(emails: readonly string[]): string | undefined {
  return emails.length > 0 ? JSON.stringify(emails) : undefined
}
