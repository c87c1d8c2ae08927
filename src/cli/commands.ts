import type { Command } from 'commander'
import type { Terminal } from '../server/terminal.ts'
import { backupCommand } from './backup.ts'
import { callCommand } from './call.ts'
import { checkCommand } from './check.ts'
import { clientCommand } from './client.ts'
import { defineHoldfast } from './common/holdfast.ts'
import { consentCommand } from './consent.ts'
import { dataCommand } from './data.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { dumpCommand } from './dump.ts'
import { feedsCommand } from './feeds.ts'
import { generateCommand } from './generate.ts'
import { keysCommand } from './keys.ts'
import { loadCommand } from './load.ts'
import { mapCommand } from './map.ts'
import { openapiCommand } from './openapi.ts'
import { productsCommand } from './products.ts'
import { recordsCommand } from './records.ts'
import { reportCommand } from './report.ts'
import { serveCommand } from './serve.ts'
import { settingsCommand } from './settings.ts'
import { tokenCommand } from './token.ts'

/** Defines every command except those of the operations, which `holdfast call` has. */
export function defineCommands(terminal: Terminal): Command {
  const holdfast = defineHoldfast()
  const commands = [
    demoCommand(terminal),
    serveCommand(terminal),
    loadCommand(terminal),
    mapCommand(terminal),
    dumpCommand(terminal),
    dataCommand(terminal),
    feedsCommand(terminal),
    backupCommand(terminal),
    generateCommand(terminal),
    callCommand(),
    tokenCommand(terminal),
    checkCommand(terminal),
    keysCommand(terminal),
    clientCommand(terminal),
    consentCommand(terminal),
    recordsCommand(terminal),
    reportCommand(terminal),
    productsCommand(terminal),
    openapiCommand(terminal),
    settingsCommand(terminal),
    doctorCommand(terminal),
  ]
  for (const command of commands) holdfast.addCommand(command)
  return holdfast
}
