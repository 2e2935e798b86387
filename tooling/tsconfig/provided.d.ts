export {};

/** The values that `tooling/vitest-projects` provides to all tests. */
declare module 'vitest' {
  interface ProvidedContext {
    /** True if a missing browser is a failure, because CI machines can install it. */
    readonly ci: boolean;
    /** True if suites run all of their cases, and not only some: with NCCLTS_EVERY_CASE set. */
    readonly everyCase: boolean;
  }
}
