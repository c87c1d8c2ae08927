import { Command } from 'commander'
import type { Terminal } from '../server/terminal.ts'
import { databaseSettings } from './common/database.ts'
import { addSettingFlags, requireRoleSettings } from './common/setting-flags.ts'

export function demoCommand(terminal: Terminal): Command {
  const command = new Command('demo')
    .summary('start a provider, a platform, an intake and a third party with synthetic data')
    .description(
      'Starts a provider, a platform, an intake and Example Budget, a third party, on this machine, on four ports: --port for the provider, and the next three for the others. Open Example Budget in a browser to see a consent. The first start creates a signing key and synthetic customers; a database that contains data is served unchanged. Not for production: anyone who can reach the demo can sign tokens.',
    )
    .addHelpText('after', '\nExample: holdfast demo --database sqlite:my-bank.db')
  return addSettingFlags(command, 'demo', demoSettings).action(async (flags: object) => {
    const settings = requireRoleSettings('demo', flags, terminal)
    const { runDemo } = await import('./demo/run-demo.ts')
    await runDemo(settings, terminal)
  })
}

const demoSettings = [
  ...databaseSettings,
  'host',
  'port',
  'subdomain',
  'accountVersion',
  'timeZone',
  'logLevel',
  'metricsPort',
  'metricsHost',
] as const
