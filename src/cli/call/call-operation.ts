import { ClientError, InvalidResponseError } from '../../client/index.ts'
import { type ResolvedOptions, resolveOptions } from '../../client/options.ts'
import { followLinks } from '../../client/pages.ts'
import { isSuccess, readBody, readErrorText, readRecords } from '../../client/read-body.ts'
import { type AnyInput, type PreparedCall, prepareCall } from '../../client/request.ts'
import { openSender, type Received, type Send } from '../../client/send.ts'
import { escapeInvisible } from '../../contract/characters.ts'
import type { Operation } from '../../contract/index.ts'
import { CommandError, isReaderGone, type Terminal, usesColour } from '../../server/terminal.ts'
import { parseNumber } from '../common/parse-number.ts'
import { readCommandSettings, type SettingFlags } from '../common/setting-flags.ts'
import { findSigningKey, signToken } from '../common/signing-key.ts'
import { formatForTerminal, parseExactly, showJson } from './format-json.ts'

export const timeoutSecondsDefault = '30'
const timeoutSecondsMax = 3600

/** The flags that all operations have. */
interface CallFlags extends SettingFlags {
  readonly all?: boolean
  readonly key?: string
  readonly timeout?: string
}

/** Sends one request, or with --all the requests for all pages, and prints what the provider returns. */
export async function callOperation(
  id: string,
  operation: Operation,
  input: AnyInput,
  { all = false, key: keyFile, timeout = timeoutSecondsDefault, ...flags }: CallFlags,
  terminal: Terminal,
): Promise<void> {
  const options = await readOptions(keyFile, timeout, flags, terminal)
  const call = prepareCall(id, operation, input, options)
  const send = openSender(options)
  const print = (received: Received) => printResponse(received, call, options, terminal)
  try {
    if (all) await printAllRecords(call, send, options.pagesMax, print, terminal)
    else await print(await send(call, call.query))
  } catch (error) {
    // A reader that exits early, such as head, is not a failure.
    if (isReaderGone(error)) return
    if (error instanceof ClientError) throw new CommandError(1, error.message, { cause: error })
    throw error
  }
}

async function readOptions(
  keyFile: string | undefined,
  timeout: string,
  flags: SettingFlags,
  terminal: Terminal,
): Promise<ResolvedOptions> {
  const seconds = parseNumber('--timeout', timeout, timeoutSecondsMax)
  const settings = readCommandSettings('demo', flags, terminal)
  const { providerUrl = '', resourceUrl = providerUrl, subdomain = '' } = settings
  const key = await findSigningKey(keyFile, settings, terminal)
  // Reports an unusable key before the request.
  await signToken(key, keyFile, subdomain, providerUrl)
  // A retry would hide the response that the user wants to see.
  const limits = { retriesMax: 0, timeoutMs: seconds * 1000 }
  return resolveOptions({ providerUrl, resourceUrl, subdomain, key, ...limits })
}

/** Prints the body of any response. Throws if it is an error response. */
async function printResponse(
  received: Received,
  call: PreparedCall,
  options: ResolvedOptions,
  terminal: Terminal,
): Promise<void> {
  const { status, bytes, interactionId, isRefusal } = received
  if (terminal.isOutputTerminal && bytes.length > 0) {
    await terminal.write(formatForTerminal(new TextDecoder().decode(bytes), usesColour(terminal)))
  } else await terminal.write(bytes)
  if (bytes.length === 0 && terminal.isInteractive) terminal.error('the response has no body\n')
  if (isSuccess(received)) return
  const suffix = interactionId ? ` (interaction ID ${escapeInvisible(interactionId)})` : ''
  const kind = isRefusal ? `${status}, a refusal to share` : status
  const token = status === 401 ? `\n${describeToken(call, options)}` : ''
  throw new CommandError(
    1,
    `the provider returned ${kind}: ${readErrorText(bytes)}${suffix}${token}`,
  )
}

/** What a provider that rejects a token may expect otherwise: its response does not say it. */
function describeToken({ resource }: PreparedCall, { subdomain }: ResolvedOptions): string {
  const [issuer, audience] = [subdomain, resource].map((text) => JSON.stringify(text))
  return `the token had iss and sub ${issuer}, and aud ${audience}`
}

/** Prints each record as one line of JSON. */
async function printAllRecords(
  call: PreparedCall,
  send: Send,
  pagesMax: number,
  print: (received: Received) => Promise<void>,
  terminal: Terminal,
): Promise<void> {
  const read = async (query: string) => {
    const received = await send(call, query)
    if (!isSuccess(received)) await print(received)
    const body = readBody(call, received)
    return { body, lines: formatRecords(call, received) }
  }
  for await (const { lines } of followLinks(call, pagesMax, read, ({ body }) => body)) {
    const shown = terminal.isOutputTerminal
      ? lines.map((line) => showJson(line, usesColour(terminal)))
      : lines
    await terminal.write(shown.map((line) => `${line}\n`).join(''))
  }
}

/** The records of a valid page as lines of JSON. */
function formatRecords(
  { id, operation }: PreparedCall,
  { bytes, interactionId }: Received,
): readonly string[] {
  try {
    const page = parseExactly(new TextDecoder().decode(bytes))
    return readRecords(operation, page).map((record) => JSON.stringify(record))
  } catch {
    // The only reason to fail here: `readBody` has parsed it without recursion.
    throw new InvalidResponseError(id, 'nested too deeply', interactionId)
  }
}
