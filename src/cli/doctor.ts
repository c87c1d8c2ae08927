import { Argument, Command } from 'commander'
import type { Terminal } from '../server/terminal.ts'
import { addSettingFlags } from './common/setting-flags.ts'
import { type DoctorFlags, type DoctorRole, doctorRoles } from './doctor/options.ts'

export function doctorCommand(terminal: Terminal): Command {
  const command = new Command('doctor')
    .summary('find what keeps a server from working')
    .description(
      'Examines what a server needs, with its settings: files and their permissions, the database, the keys, the clock, certificates, disk space and ports. Each line is a fact, a warning or a problem with what to do. It creates nothing, and listens on the ports only for a moment.',
    )
    .addArgument(new Argument('[role]', 'the server').choices(doctorRoles).default('provider'))
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample: holdfast doctor provider\n\nExit status: 0 no problem, 1 a problem, 2 invalid usage.',
    )
  return addSettingFlags(command, undefined).action(async (role: DoctorRole, flags: DoctorFlags) =>
    (await import('./doctor/examine.ts')).examine(role, flags, terminal),
  )
}
