const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space left on the disk'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EFBIG', 'the limit on file sizes is reached'],
  ['ENOENT', 'no such file or directory'],
  ['ENOTDIR', 'a part of its path is not a directory'],
  ['EISDIR', 'it is a directory'],
  ['EEXIST', 'a part of its path is not a directory'],
  ['ELOOP', 'too many symbolic links'],
  ['ENAMETOOLONG', 'the path is too long'],
  ['EPIPE', 'the reader closed the pipe'],
  ['EIO', 'input/output error'],
  ['EMFILE', 'too many open files'],
  ['ENFILE', 'too many open files'],
])

/** The reason for an error code of the system, as the end of a sentence. */
export function systemReason(code = ''): string {
  return reasons.get(code) ?? code
}
