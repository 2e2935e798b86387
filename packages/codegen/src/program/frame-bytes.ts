/** The bytes of the heap that generated code shares with JavaScript while it runs. */
export const FRAME_BYTES = 131072;
