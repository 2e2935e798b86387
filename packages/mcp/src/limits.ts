/** The limits of a call. They are those of the site's playground, where it has such a limit. */
export interface Limits {
  /** The largest size of all texts of a call, in bytes of UTF-8. @default 1,000,000 */
  readonly textBytes: number;
  /** The seconds after which the process of a call is ended. @default 60 */
  readonly seconds: number;
  /**
   * The largest memory of the process of a call, in bytes: that of its JavaScript objects, and on
   * Linux also its resident memory.
   *
   * @default 1 GiB
   */
  readonly memoryBytes: number;
  /** The largest output, in characters. Further output is left out. @default 200,000 */
  readonly outputCharacters: number;
}

/** The default limits. */
export const defaultLimits: Limits = Object.freeze({
  textBytes: 1_000_000,
  seconds: 60,
  memoryBytes: 2 ** 30,
  outputCharacters: 200_000,
});
