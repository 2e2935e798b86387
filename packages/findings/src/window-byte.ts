/** A byte of one rank's copy of a window. `offset` may lie outside of the window. */
export interface WindowByte {
  readonly window: {
    /** For people: `window 2`. */
    readonly name: string;
    readonly bytes: number;
  };
  readonly rank: number;
  readonly offset: number;
}
