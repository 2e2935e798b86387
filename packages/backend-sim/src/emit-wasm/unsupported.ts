/**
 * Thrown while WebAssembly is written, for operations that only JavaScript supports. Its message
 * names the operation, for people.
 */
export class Unsupported extends Error {}
