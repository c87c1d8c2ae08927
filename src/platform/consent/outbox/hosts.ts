import { backOff } from '../../../contract/back-off.ts'

/** How many deliveries run at once in a process, and to one host. */
const deliveriesMax = 16
const deliveriesPerHostMax = 4

/** How long a host that does not work is left alone, after the first failure and at most. */
const pauseMsMin = 1000
const pauseMsMax = 60_000

interface Host {
  inFlight: number
  /** Since the last success. */
  failures: number
  pausedUntil: number
  /** The number of the last delivery that began: the host with the lowest is next. */
  turn: number
}

/** Bounds the deliveries overall and per host, so that hosts that are slow or do not work do not delay those to others. */
export function openHosts() {
  const hosts = new Map<string, Host>()
  let inFlight = 0
  let turns = 0
  const find = (name: string) => hosts.get(name) ?? { ...unused }

  return {
    inFlight: () => inFlight,
    /** How many deliveries may begin now. A host that failed gets one at a time, until it works. */
    capacity(name: string, now: Temporal.Instant): number {
      const host = find(name)
      if (host.pausedUntil > now.epochMilliseconds) return 0
      const most = host.failures > 0 ? 1 : deliveriesPerHostMax
      return Math.max(0, Math.min(most - host.inFlight, deliveriesMax - inFlight))
    },
    /** Until when a host is left alone. */
    pausedUntil: (name: string) => find(name).pausedUntil,
    turn: (name: string) => find(name).turn,
    begin(name: string): void {
      const host = hosts.getOrInsertComputed(name, () => ({ ...unused }))
      turns += 1
      host.turn = turns
      host.inFlight += 1
      inFlight += 1
    },
    end(name: string, isWorking: boolean, now: Temporal.Instant): void {
      const host = find(name)
      host.inFlight -= 1
      inFlight -= 1
      host.failures = isWorking ? 0 : host.failures + 1
      const pauseMs = backOff(host.failures, pauseMsMin, pauseMsMax)
      host.pausedUntil = isWorking ? 0 : now.epochMilliseconds + pauseMs
    },
    /** Forgets the hosts without waiting messages. */
    retain(names: ReadonlySet<string>): void {
      for (const [name, host] of hosts) {
        if (host.inFlight === 0 && !names.has(name)) hosts.delete(name)
      }
    },
  }
}

const unused: Host = { inFlight: 0, failures: 0, pausedUntil: 0, turn: 0 }
