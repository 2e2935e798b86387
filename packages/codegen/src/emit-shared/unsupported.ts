/**
 * Thrown while WebAssembly is generated, for operations that only JavaScript supports. Its message
 * names the operation, for people.
 */
export class Unsupported extends Error {}
