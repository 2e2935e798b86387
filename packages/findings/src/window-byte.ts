/** A byte of one rank's copy of a window. `offset` may be outside the window. */
export interface WindowByte {
  readonly window: {
    /** The name in messages: `window 2`. */
    readonly name: string;
    readonly bytes: number;
  };
  readonly rank: number;
  readonly offset: number;
}
