import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import {
  cutHeader,
  headerBytesMax,
  isFileOf,
  openPositionTracker,
  type Position,
  type Resumed,
} from './position.ts'
import {
  describeFile,
  type FoundFile,
  findFile,
  findLaterFiles,
  findPosition,
  isSameFile,
  readBytes,
} from './rotated-files.ts'
import { LostPosition, type Segment, type TailOptions } from './segment.ts'

/** How many bytes are read at a time. */
const readSize = 256 * 1024

interface Start {
  readonly path: string
  readonly resumed?: Resumed
}

/**
 * Follows a file that grows and is rotated by renaming, from a position or from its beginning. Every file that the
 * rotation leaves behind is read to its end before the next.
 */
export async function* tailFile(
  path: string,
  position: Position | undefined,
  options: TailOptions,
): AsyncGenerator<Segment> {
  let start = position ? await resume(path, position, options) : { path }
  for (;;) {
    const handle = await open(start.path)
    const file = await describeOpen(start.path, handle)
    const { offset = 0, line = 0 } = start.resumed?.position ?? {}
    const tracker = openPositionTracker(options.firstLines, start.resumed, file)
    let end = offset
    try {
      yield {
        name: start.path,
        offset,
        line,
        tracker,
        ...(start.resumed && { header: start.resumed.header }),
        async *data() {
          for await (const data of readToEnd(handle, file, path, offset, options)) {
            end += data.length
            tracker.push(data)
            yield data
          }
        },
        unread: async () => countUnread(path, await describeOpen(path, handle), end),
      }
      start = await findNext(path, await describeOpen(path, handle), { ...options, end })
    } finally {
      await handle.close()
    }
  }
}

async function resume(path: string, position: Position, { onNotice }: TailOptions): Promise<Start> {
  const file = await findPosition(path, position)
  const { offset, line, last } = position
  if (!file) {
    const part = offset === 0 ? 'began with' : `had read up to line ${line.toLocaleString('en')}`
    throw new LostPosition(
      `the file that the feed ${part} was not found as ${path}, nor among its rotated files`,
    )
  }
  const isOther = position.inode !== undefined && !isFileOf(position, file)
  if (offset === 0) {
    if (isOther) onNotice(`${file.path} is not the file that the feed began with`)
    return { path: file.path }
  }
  if (isOther) {
    onNotice(
      `${file.path} is a copy of the file that the feed has read, or a new file that begins with the same lines: continuing after line ${line.toLocaleString('en')}`,
    )
  }
  const lastBytes = await readBytes(file.path, offset - last.bytes, last.bytes)
  const header = cutHeader(await readBytes(file.path, 0, Math.min(offset, headerBytesMax)))
  return { path: file.path, resumed: { position, lastBytes, header } }
}

/** Yields what is in the file and what is appended to it, until it has been replaced or truncated. */
async function* readToEnd(
  handle: FileHandle,
  file: FoundFile,
  path: string,
  offset: number,
  { pollMs, signal }: TailOptions,
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(readSize)
  let end = offset
  let isReplaced = false
  /** The file at the path when later files were last searched for. */
  let searched: FoundFile | undefined = file
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, readSize, end)
    if (bytesRead > 0) {
      end += bytesRead
      yield Buffer.from(buffer.subarray(0, bytesRead))
      continue
    }
    if (isReplaced) return
    const present = await findFile(path)
    if (present && isSameFile(present, file)) {
      if (present.size < end) return
    } else {
      const isSearched = present && searched ? isSameFile(present, searched) : present === searched
      searched = present
      const later = isSearched ? [] : await findLaterFiles(path, await describeOpen(path, handle))
      if (later.length > 0 || (present && present.size > 0)) {
        // The writer has switched to another file. What it wrote before is read now.
        isReplaced = true
        continue
      }
    }
    await wait(pollMs, undefined, { signal })
  }
}

async function describeOpen(path: string, handle: FileHandle): Promise<FoundFile> {
  return describeFile(path, await handle.stat({ bigint: true }))
}

/** The number of bytes after an offset of a file and in the files after it. */
async function countUnread(path: string, file: FoundFile, end: number): Promise<number> {
  const present = await findFile(path)
  const later = await findLaterFiles(path, file)
  if (present && !isSameFile(present, file)) later.push(present)
  return later.reduce((sum, { size }) => sum + size, Math.max(0, file.size - end))
}

/** The file to read after another one. */
async function findNext(
  path: string,
  before: FoundFile,
  { end, onNotice, pollMs, signal }: TailOptions & { readonly end: number },
): Promise<Start> {
  if (before.size < end) {
    onNotice(`${path} was truncated, which may lose lines: rotate it by renaming`)
    return { path }
  }
  const [later] = await findLaterFiles(path, before)
  if (later) return { path: later.path }
  while (!(await findFile(path))) await wait(pollMs, undefined, { signal })
  return { path }
}
