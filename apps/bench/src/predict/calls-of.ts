/** Calls of a graph, and those of calls of many bytes. */
const CALLS = 20;
const FEW_CALLS = 4;
const FEW_FROM_BYTES = 32 << 20;

/** The calls in a graph of a table, by their bytes: long enough that the host's launch is small. */
export function callsOf(bytes: number): number {
  return bytes >= FEW_FROM_BYTES ? FEW_CALLS : CALLS;
}
