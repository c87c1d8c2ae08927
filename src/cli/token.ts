import { Command } from 'commander'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { databaseSettings } from './common/database.ts'
import { addSettingFlags, readCommandSettings } from './common/setting-flags.ts'
import { addKeyFlag, findSigningKey, signToken } from './common/signing-key.ts'

interface Flags {
  readonly database?: string
  readonly subdomain?: string
  readonly key?: string
}

export function tokenCommand(terminal: Terminal): Command {
  const command = new Command('token')
    .summary('print a single-use token for a URL')
    .description(
      'Prints a token for one request to one URL, signed with the newest signing key of the platform or with a key from a file. The demo accepts it.',
    )
    .argument('<url>', 'the URL to request; its query is ignored')
    .addHelpText(
      'after',
      '\nExample: curl -s -H "Authorization: Bearer $(holdfast token $URL)" $URL',
    )
  return addSettingFlags(addKeyFlag(command), 'demo', [...databaseSettings, 'subdomain']).action(
    async (url: string, { key, ...flags }: Flags) => {
      if (!URL.canParse(url))
        throw new CommandError(
          2,
          '<url> must be a complete URL, such as http://127.0.0.1:8080/v1/banking',
        )
      const settings = readCommandSettings('demo', flags, terminal)
      const signer = await findSigningKey(key, settings, terminal)
      const [resource = url] = url.split(/[?#]/, 1)
      const token = await signToken(signer, key, settings.subdomain ?? '', resource)
      terminal.out(`${token}\n`)
    },
  )
}
