/** What `find` answers; `undefined` where it throws. */
export function attempt<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
