export {};

/** The values that `tooling/vitest-projects` provides to all tests. */
declare module 'vitest' {
  interface ProvidedContext {
    /** True if a missing browser is a failure, because CI machines can install it. */
    readonly ci: boolean;
    /**
     * True in `npm run test:all`. A file `x.slow.test.ts` that only imports `x.test.ts` runs it
     * again, and the suites in `x.test.ts` then take the cases that they left out before.
     */
    readonly slow: boolean;
    /** True if suites have all of their cases, and not only some: with NCCLTS_EVERY_CASE set. */
    readonly everyCase: boolean;
  }
}
