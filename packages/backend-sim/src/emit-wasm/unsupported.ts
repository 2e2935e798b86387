/**
 * Thrown while WebAssembly is written for what only JavaScript does. Its message says what that is,
 * for people.
 */
export class Unsupported extends Error {}
