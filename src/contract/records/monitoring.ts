/** The servers that are observed. */
export const monitoredRoles = ['provider', 'platform', 'intake'] as const
export type MonitoredRole = (typeof monitoredRoles)[number]
