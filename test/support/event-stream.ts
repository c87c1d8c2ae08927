import assert from 'node:assert/strict'

export interface ReceivedEvent {
  readonly event: string
  readonly data: ReturnType<JSON['parse']>
}

/** Reads server-sent events until the server ends the stream, or the signal does. */
export async function* readEvents(
  address: string,
  token: string,
  signal?: AbortSignal,
): AsyncGenerator<ReceivedEvent> {
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${token}` },
    ...(signal && { signal }),
  })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  let pending = ''
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    pending += Buffer.from(chunk).toString()
    const blocks = pending.split('\n\n')
    pending = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, event = '', data = ''] =
        /^event: (\w+)\ndata: (.*)$/.exec(block) ?? assert.fail(block)
      yield { event, data: JSON.parse(data) }
    }
  }
}

/** The first event that meets the condition. Ends the stream. */
export async function findEvent(
  events: AsyncGenerator<ReceivedEvent>,
  isFound: (event: ReceivedEvent) => boolean,
): Promise<ReceivedEvent> {
  for await (const event of events) if (isFound(event)) return event
  return assert.fail('the stream ended')
}
