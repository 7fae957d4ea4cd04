/** An export or import that cannot continue; the message says why and what to do. */
export class TransferFailure extends Error {}

function fileFailure(path: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  const reasons: Record<string, string> = {
    ENOENT: 'it does not exist',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'the disk is read-only',
    ENOSPC: 'the disk is full',
    ENOTDIR: 'it is not a folder',
    EISDIR: 'it is a folder',
  };
  return new TransferFailure(`${path} cannot be used: ${reasons[code] ?? code}.`, { cause: error });
}

export const withFile = <T>(path: string, work: () => Promise<T>): Promise<T> =>
  work().catch((error) => {
    throw fileFailure(path, error);
  });
