// Checks, and what they find.
export * from '@nccl-ts/checker';
export * from '@nccl-ts/findings';
