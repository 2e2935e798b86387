/** Calls in a graph of one example. Some examples use three buffers in turn. */
export const EXAMPLE_CALLS = 21;
