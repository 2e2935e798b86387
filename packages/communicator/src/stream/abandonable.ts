import { aborted } from '../errors.ts';

/**
 * Waits for `work`, or until `signal` is aborted. The work continues in that case, and
 * `onAbandoned` receives its error if it fails later.
 *
 * @throws NcclError `NCCLTS_ABORTED` with the signal's reason as its cause.
 */
export async function abandonable<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  what: string,
  onAbandoned: (error: unknown) => void,
): Promise<T> {
  if (signal === undefined) return work;
  let stop = (): void => undefined;
  const abort = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => {
      work.catch(onAbandoned);
      reject(aborted(`${what}: its signal was aborted.`, signal.reason));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    stop = () => signal.removeEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, abort]);
  } finally {
    stop();
  }
}
