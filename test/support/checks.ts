/** Why checks of refusals are skipped if the options do not name what the provider refuses to share. */
export const withoutRestricted = [
  '--blocked-account is not given',
  '--protected-account is not given',
  '--restricted-customer is not given',
  'neither --blocked-account nor --protected-account is given',
]
