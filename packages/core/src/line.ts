/** The bytes that a GPU stores at once, if they are aligned and one instruction stores them. */
export const LINE = 16;
