// Matchers for tests with Vitest.
export * from '@nccl-ts/vitest';
