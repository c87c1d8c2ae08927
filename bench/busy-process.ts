/** Uses so many milliseconds of CPU time in every period of so many milliseconds, until it is killed. */
const [busyMs = 0, everyMs = 0] = process.argv.slice(2).map(Number)

const readCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

setInterval(() => {
  const end = readCpuMs() + busyMs
  while (readCpuMs() < end);
}, everyMs)
