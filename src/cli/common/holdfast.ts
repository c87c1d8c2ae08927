import { Command } from 'commander'
import { version } from '../../server/version.ts'

/** The program without its commands. */
export function defineHoldfast(): Command {
  return (
    new Command('holdfast')
      .description(
        'The data-holder side of consented data sharing: banking and energy data behind signed, single-use tokens.',
      )
      .version(version, '-V, --version', 'print the version')
      // A command may have an option of its own with this name.
      .enablePositionalOptions()
      .addHelpText(
        'after',
        '\nTo get started: holdfast demo\nFor the options of a command: holdfast COMMAND --help\n\nExit status: 0 success, 1 failure, 2 invalid usage.',
      )
  )
}
